import { randomUUID } from 'node:crypto';
import { fromMillis } from './duration.js';
import { JobFailed, ResultTimeout } from './errors.js';
import { Http } from './http.js';
import { fromBase64 } from './json.js';
import { patience } from './numbers.js';
import { segment } from './path.js';
import { Topic } from './topics.js';

const LONGEST_WAIT = 20_000;

export interface ClientOptions {
  /** Who calls, if the server asks. */
  readonly token?: string;
  /** For how many milliseconds requests are repeated on lost connections, 429 and 5xx: 30,000 by default. */
  readonly giveUpAfter?: number;
  /** Receives a line when the server is away, one when it answers again, and one when retention
   * has removed messages that a topic's follower has not read; `console.warn` by default. */
  readonly warn?: (message: string) => void;
}

/** A job to add. Further members are those that the server's `/openapi.json` names, such as `at` or `priority`. */
export interface NewJob {
  /** The payload: what JSON has, or a `Uint8Array`, which `dataMediaType` may describe. */
  readonly data?: unknown;
  readonly id?: string;
  readonly [option: string]: unknown;
}

/** A job as the server shows it. */
export interface JobView {
  readonly type: string;
  readonly id: string;
  readonly state: 'pending' | 'running' | 'finished';
  readonly outcome?: 'succeeded' | 'failed' | 'cancelled' | 'expired';
  /** Numbers that a `number` does not hold are `ExactNumber`, also in `result`. */
  readonly data?: unknown;
  /** The text of the data, in JSON; data that is no JSON is in `dataBytes`, in Base64, beside `dataMediaType`. */
  readonly dataText?: string;
  readonly result?: unknown;
  readonly resultText?: string;
  readonly error?: string;
  readonly [member: string]: unknown;
}

/** Adds jobs, and reads them. Its requests are repeated without a second effect. */
export class Client {
  readonly #http: Http;
  readonly #giveUpAfter: number;

  /** @param url the address of the server */
  constructor(url: string, options: ClientOptions = {}) {
    this.#http = new Http(url, options.token, options.warn ?? ((line) => console.warn(line)));
    this.#giveUpAfter = patience('giveUpAfter', options.giveUpAfter ?? 30_000);
  }

  #write<T>(method: string, path: string, body?: object): Promise<T> {
    return this.#http.send<T>(method, path, body, { key: randomUUID(), giveUpAfter: this.#giveUpAfter });
  }

  #read<T>(path: string, timeout = 30_000): Promise<T> {
    return this.#http.send<T>('GET', path, undefined, { timeout, giveUpAfter: this.#giveUpAfter });
  }

  /** A topic. This sends nothing. */
  topic(name: string): Topic {
    return new Topic(
      {
        read: (path, timeout) => this.#read(path, timeout),
        write: (method, path, body) => this.#write(method, path, body),
        events: (path) => this.#http.events(path, this.#giveUpAfter),
      },
      name,
    );
  }

  /** Returns the names of the topics, at most 1,000. */
  async topics(): Promise<string[]> {
    return (await this.#read<{ items: string[] }>('/v1/topics?limit=1000')).items;
  }

  /** Adds a job, and returns its id. */
  async add(type: string, job: NewJob): Promise<string> {
    return (await this.#write<{ id: string }>('POST', `/v1/types/${segment(type)}/jobs`, job)).id;
  }

  /** Adds jobs in one transaction, and returns their ids. */
  async addAll(jobs: ReadonlyArray<NewJob & { readonly type: string }>): Promise<string[]> {
    const added = await this.#write<{ items: Array<{ id: string }> }>('POST', '/v1/jobs', { jobs });
    return added.items.map((job) => job.id);
  }

  /** Returns a job with its state, data and result. */
  get(type: string, id: string): Promise<JobView> {
    return this.#read<JobView>(path(type, id));
  }

  /**
   * Waits until a job has ended, and returns its result: a `Uint8Array` if it is no JSON.
   *
   * @param timeout how many milliseconds to wait; without limit if it is left out
   * @throws JobFailed if it has ended without success
   * @throws ResultTimeout if it has not ended in time
   */
  async result<T = unknown>(type: string, id: string, timeout = Infinity): Promise<T> {
    const end = performance.now() + patience('timeout', timeout);
    for (;;) {
      const left = Math.min(LONGEST_WAIT, Math.max(0, end - performance.now()));
      const job = await this.#read<JobView>(`${path(type, id)}/result?timeout=${fromMillis(left)}`, left + 30_000);
      if (job.state === 'finished') {
        if (job.outcome !== undefined && job.outcome !== 'succeeded') {
          throw new JobFailed(type, id, job.outcome, job.error);
        }
        const bytes = job['resultBytes'];
        return (typeof bytes === 'string' ? fromBase64(bytes) : job.result) as T;
      }
      if (performance.now() >= end) {
        throw new ResultTimeout(`Job ${id} of type ${type} has not ended after ${timeout} ms.`);
      }
    }
  }

  /** Cancels a job, and returns whether there was something to cancel. */
  async cancel(type: string, id: string, reason = ''): Promise<boolean> {
    return (await this.#write<{ changed: boolean }>('POST', `${path(type, id)}/cancel`, { reason })).changed;
  }

  /** Removes a job, and returns whether there was one. */
  async remove(type: string, id: string): Promise<boolean> {
    return (await this.#write<{ changed: boolean }>('DELETE', path(type, id))).changed;
  }
}

function path(type: string, id: string): string {
  return `/v1/types/${segment(type)}/jobs/${segment(id)}`;
}
