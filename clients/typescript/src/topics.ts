import { fromMillis } from './duration.js';
import { ApiError } from './errors.js';
import { count, duration } from './numbers.js';
import { segment } from './path.js';

const WAIT = 20_000;
const CONFLICT = 409;

/** What a topic needs of a client. */
export interface Requests {
  read<T>(path: string, timeout?: number): Promise<T>;
  write<T>(method: string, path: string, body?: object): Promise<T>;
  events<T>(path: string): AsyncGenerator<T, never>;
}

export interface NewMessage {
  readonly value?: unknown;
  /** The message deletes its key in a compacted topic, and has no value. */
  readonly deletion?: true;
  readonly key?: string;
  readonly partition?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A message as the server shows it: with a value, with bytes in base64, or with a problem if it cannot be read. */
export interface Message {
  readonly partition: number;
  readonly offset: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly appendedAt?: string;
  readonly value?: unknown;
  /** The text of the value, in JSON. */
  readonly valueText?: string;
  readonly bytes?: string;
  readonly deletion?: boolean;
  readonly problem?: string;
}

/** A page of a partition; `next` is the start of the next page. */
export interface Page {
  readonly items: Message[];
  readonly next: string;
  readonly end: boolean;
  /** The last message that retention has removed behind the start; it was missed. */
  readonly trimmedTo?: string;
}

/** A durable log of messages. Made by `Client.topic`. */
export class Topic {
  readonly #requests: Requests;
  readonly #path: string;

  constructor(requests: Requests, name: string) {
    this.#requests = requests;
    this.#path = `/v1/topics/${segment(name)}`;
  }

  /** Creates the topic, or changes it. `maxAge` and `compactAfter` are durations as in ISO 8601. */
  async put(settings: {
    partitions: number;
    maxAge?: string;
    maxBytes?: number;
    consumedBy?: string[];
    compactAfter?: string;
  }): Promise<void> {
    count('partitions', settings.partitions, 1);
    await this.#requests.write('PUT', this.#path, settings);
  }

  /** Removes the topic with its messages, and returns whether there was one. */
  async remove(): Promise<boolean> {
    return (await this.#requests.write<{ changed: boolean }>('DELETE', this.#path)).changed;
  }

  /** Appends messages in one transaction, in this order, and returns their partitions. */
  async append(...messages: NewMessage[]): Promise<number[]> {
    const appended = await this.#requests.write<{ items: Array<{ partition: number }> }>(
      'POST',
      `${this.#path}/messages`,
      { messages },
    );
    return appended.items.map((message) => message.partition);
  }

  /**
   * Reads a page.
   *
   * @param options `start`: `earliest`, `latest`, a time, or the offset behind which to begin; `wait`: for how many
   *   milliseconds to wait for a message, at most 60,000
   */
  async read(partition: number, options: { start?: string; limit?: number; wait?: number } = {}): Promise<Page> {
    const { start = 'earliest', limit = 100, wait = 0 } = options;
    const query = new URLSearchParams({
      from: start,
      limit: `${count('limit', limit, 1)}`,
      wait: fromMillis(duration('wait', wait)),
    });
    return this.#requests.read(`${this.#path}${inPartition(partition)}/messages?${query}`, wait + 30_000);
  }

  /**
   * Messages as they come, without end: those of all partitions in the order of their commits. A lost connection is
   * made again, without a gap and without a double. If retention has removed the next messages meanwhile, `warn` gets a
   * line.
   *
   * @param options `start`: as of `read`; `partition`: the only one to follow
   */
  follow(options: { start?: string; partition?: number } = {}): AsyncGenerator<Message, never> {
    const { start = 'earliest', partition } = options;
    const of = partition === undefined ? '' : inPartition(partition);
    return this.#requests.events(`${this.#path}${of}/messages?${new URLSearchParams({ from: start })}`);
  }

  /** A group of consumers. This sends nothing. */
  group(name: string): Group {
    return new Group(this.#requests, `${this.#path}/groups/${segment(name)}`);
  }
}

/** Consumers that share the messages of a topic: each message is for one of them. */
export class Group {
  readonly #requests: Requests;
  readonly #path: string;

  constructor(requests: Requests, path: string) {
    this.#requests = requests;
    this.#path = path;
  }

  /** Creates the group, and returns whether it was not there. */
  async create(start = 'earliest'): Promise<boolean> {
    return (await this.#requests.write<{ changed: boolean }>('PUT', this.#path, { from: start })).changed;
  }

  /** Takes the next messages of a partition. They are consumed, whatever becomes of the caller. */
  async poll(options: { limit?: number; partition?: number } = {}): Promise<Message[]> {
    const { limit = 100, partition } = options;
    const body = { limit: count('limit', limit, 1), ...member(partition) };
    return (await this.#requests.write<{ items: Message[] }>('POST', `${this.#path}/poll`, body)).items;
  }

  /** Messages as they come. Those of a batch are consumed when the next batch is asked for. */
  async *batches(limit = 100): AsyncGenerator<Message[], never> {
    const query = new URLSearchParams({ limit: `${count('limit', limit, 1)}`, wait: fromMillis(WAIT) });
    for (;;) {
      const page = await this.#requests.read<{ items: Message[]; cursor?: string }>(
        `${this.#path}/messages?${query}`,
        WAIT + 30_000,
      );
      if (page.items.length > 0) {
        yield page.items;
        await this.#commit(page.cursor);
      }
    }
  }

  async #commit(cursor: string | undefined): Promise<void> {
    try {
      await this.#requests.write('POST', `${this.#path}/commit`, { cursor });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === CONFLICT)) {
        throw error; // otherwise another consumer was first
      }
    }
  }

  /** Moves the group to a start as of `Topic.read`. */
  async seek(to: string, partition?: number): Promise<void> {
    await this.#requests.write('POST', `${this.#path}/seek`, { to, ...member(partition) });
  }

  /** Returns how many messages it has still to consume. */
  async lag(): Promise<number> {
    return (await this.#requests.read<{ lag: number }>(this.#path)).lag;
  }
}

function inPartition(number: number): string {
  return `/partitions/${count('partition', number, 0)}`;
}

function member(partition: number | undefined): { partition?: number } {
  return partition === undefined ? {} : { partition: count('partition', partition, 0) };
}
