import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ConnectionLost, LeaseLost, textOf, type Problem } from './errors.js';
import { decode, encode } from './json.js';
import { LONGEST_TIMER } from './numbers.js';
import { dropping } from './strays.js';

const LONGEST_PAUSE = 10_000;
/** The server shows each 15 seconds that a stream lives. */
const SILENCE = 60_000;
const PATIENT_TRIES = 5;
const RETRIED = new Set([408, 429, 500, 502, 503, 504]);
const AWAY = new Set([502, 503, 504]);

const UNTRUSTED = 'its certificate is not trusted, see NODE_EXTRA_CA_CERTS';
const CLOSED = 'the connection was closed';
const NO_HTTP = 'the reply is not HTTP';
const PLAIN: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  ECONNREFUSED: 'connection refused',
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  ENOTFOUND: 'the name of its host is not known',
};
/** There is no connection, so nothing was sent. */
const UNREACHABLE = new Set([
  ...Object.keys(PLAIN).filter((code) => PLAIN[code] === UNTRUSTED),
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

export interface SendOptions<T = unknown> {
  /** An idempotency key; repeated requests have the same. */
  readonly key?: string;
  /** How many milliseconds one try may take. */
  readonly timeout?: number;
  /** After how many milliseconds no further try is made; never if it is left out. */
  readonly giveUpAfter?: number;
  /** How many milliseconds are not counted if the server answers nobody. */
  readonly outage?: number;
  /** Ends the request and closes its connection. */
  readonly signal?: AbortSignal;
  /** Members that are added to the body of repeated requests. */
  readonly onRepeat?: object;
  /** What is returned of the body; if it throws, the reply is not that of a couch-jobs-server. */
  readonly read?: (reply: any) => T;
}

/**
 * Sends requests to one server, and repeats them until there is a reply. A line is written when the server is away, and
 * one when it answers again.
 */
export class Http {
  readonly #url: string;
  readonly #token: string | undefined;
  readonly #write: (line: string) => void;
  readonly #closing = new AbortController();
  #answeredAt = 0;
  #awaySince: number | undefined;
  /** Is called when the server is away, and when it answers again. */
  onChange: () => void = () => {};

  constructor(url: string, token: string | undefined, write: (line: string) => void) {
    this.#url = checked(url).replace(/\/$/, '');
    if (token !== undefined && !/^[\x20-\x7e]*$/.test(token)) {
      throw new TypeError('The token has characters that no HTTP header has, such as a line feed at its end.');
    }
    this.#token = token;
    this.#write = (line) => dropping(() => write(line));
    setMaxListeners(0, this.#closing.signal);
  }

  /** When the first request failed, as `performance.now` counts, while the server is away. */
  get awaySince(): number | undefined {
    return this.#awaySince;
  }

  /** Ends all requests. */
  close(): void {
    this.#closing.abort(new ConnectionLost('The worker has ended.'));
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #isAway(cause: string): void {
    if (this.#awaySince === undefined) {
      this.#awaySince = performance.now();
      this.#write(`The server ${this.#url} is away: ${cause}. Trying again.`);
      this.onChange();
    }
  }

  #answers(): void {
    this.#answeredAt = performance.now();
    if (this.#awaySince !== undefined) {
      this.#awaySince = undefined;
      this.#write(`The server ${this.#url} answers again.`);
      this.onChange();
    }
  }

  /**
   * @throws ApiError if the server refuses it
   * @throws ConnectionLost if the time is up
   * @throws NotJson if the body cannot be written
   */
  async send<T>(method: string, path: string, body: object | undefined, options: SendOptions<T> = {}): Promise<T> {
    const signals = options.signal ? [options.signal, this.#closing.signal] : [this.#closing.signal];
    const read = options.read ?? ((reply: unknown) => reply as T);
    let content = body && encode(body);
    const patience = options.giveUpAfter ?? Infinity;
    let left = patience;
    let outage = options.outage ?? 0;
    let counted = performance.now();
    for (let tries = 0; ; tries++) {
      let error: Error;
      let isAway: boolean;
      let pause = pauseAfter(tries);
      try {
        const request = this.#request(method, path, content, options);
        const response = await bounded(options.timeout ?? 30_000, signals, request);
        isAway = AWAY.has(response.status);
        if (!isAway) {
          this.#answers();
        }
        if (response.isOk) {
          return readReply(response.text, read);
        }
        error = toError(response);
        if (!RETRIED.has(response.status)) {
          throw error;
        }
        if (isAway && this.#answeredAt < counted) {
          this.#isAway(error.message);
        } else if (tries === PATIENT_TRIES) {
          this.#write(`${method} ${this.#url}${path}: ${error.message}. Trying again.`);
        }
        pause = response.retryAfter ?? pause;
      } catch (thrown) {
        signals.forEach((signal) => signal.throwIfAborted());
        if (thrown instanceof ApiError) {
          throw thrown;
        }
        const cause = describe(thrown);
        isAway = UNREACHABLE.has(codeOf(thrown));
        if (this.#answeredAt < counted) {
          this.#isAway(cause);
        }
        error = new ConnectionLost(`${method} ${this.#url}${path}: ${cause}`);
      }
      const now = performance.now();
      if (isAway && outage > 0 && this.#answeredAt < counted) {
        outage -= now - counted;
      } else {
        left -= now - counted;
      }
      counted = now;
      if (left <= 0) {
        throw error;
      }
      pause = Math.min(pause, isAway ? patience : left);
      await bounded(Infinity, signals, (signal) => sleep(pause, undefined, { signal }));
      content = body && options.onRepeat ? encode({ ...body, ...options.onRepeat }) : content;
    }
  }

  /**
   * The data of server-sent events, without end, over as many connections as that needs.
   *
   * @param giveUpAfter after how many milliseconds without a connection no further try is made
   */
  async *events<T>(path: string, giveUpAfter: number): AsyncGenerator<T, never> {
    let last: string | undefined;
    let end = performance.now() + giveUpAfter;
    for (let tries = 0; ; tries++) {
      let error: Error;
      try {
        let id: string | undefined;
        let data: string | undefined;
        let event: string | undefined;
        for await (const line of this.#lines(path, last)) {
          tries = 0;
          this.#answers();
          if (line.startsWith('id: ')) {
            id = line.slice(4);
          } else if (line.startsWith('data: ')) {
            data = data === undefined ? line.slice(6) : `${data}\n${line.slice(6)}`;
          } else if (line.startsWith('event: ')) {
            event = line.slice(7);
          } else if (line === '') {
            last = id ?? last;
            if (event === 'trimmed') {
              this.#write(`GET ${path}: retention has removed messages before they were read: ${data}`);
            } else if (data !== undefined) {
              yield decode(data) as T;
            }
            id = data = event = undefined;
          }
          end = performance.now() + giveUpAfter;
        }
        error = new ConnectionLost(`GET ${this.#url}${path}: the stream has ended`);
      } catch (thrown) {
        this.#closing.signal.throwIfAborted();
        if (thrown instanceof ApiError) {
          if (!RETRIED.has(thrown.status)) {
            throw thrown;
          }
          error = thrown;
        } else {
          this.#isAway(describe(thrown));
          error = new ConnectionLost(`GET ${this.#url}${path}: ${describe(thrown)}`);
        }
      }
      const pause = pauseAfter(tries);
      if (performance.now() + pause > end) {
        throw error;
      }
      await sleep(pause, undefined, { signal: this.#closing.signal });
    }
  }

  /** The lines of a stream, on a connection of its own, which closes when the caller goes. */
  async *#lines(path: string, last: string | undefined): AsyncGenerator<string, void> {
    const leaving = new AbortController();
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    if (this.#token !== undefined) {
      headers['authorization'] = `Bearer ${this.#token}`;
    }
    if (last !== undefined) {
      headers['last-event-id'] = last;
    }
    const within = <T>(call: () => Promise<T>): Promise<T> => bounded(SILENCE, [this.#closing.signal], call);
    try {
      const { signal } = leaving;
      const response = await within(() => fetch(this.#url + path, { headers, signal, redirect: 'manual' }));
      if (!response.ok || response.body === null) {
        throw toError(await within(() => replyOf(response)));
      }
      const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
      const decoder = new TextDecoder();
      let rest = '';
      for (;;) {
        const { done, value } = await within(() => reader.read());
        if (done) {
          return;
        }
        const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        yield* lines;
      }
    } finally {
      leaving.abort();
    }
  }

  #request(
    method: string,
    path: string,
    content: string | undefined,
    options: SendOptions<any>,
  ): (signal: AbortSignal) => Promise<Reply> {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (content !== undefined) {
      headers['content-type'] = 'application/json';
    }
    if (this.#token !== undefined) {
      headers['authorization'] = `Bearer ${this.#token}`;
    }
    if (options.key !== undefined) {
      headers['idempotency-key'] = options.key;
    }
    const body = content === undefined ? {} : { body: content };
    const init = { method, headers, ...body, redirect: 'manual' } as const;
    return async (signal) => replyOf(await fetch(this.#url + path, { ...init, signal }));
  }
}

/** What `fetch` does not take would look like a server that is away. */
function checked(url: string): string {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol)) {
    throw new TypeError(`The address of a server is like http://127.0.0.1:7470; this is ${JSON.stringify(url)}.`);
  }
  if (address.username !== '' || address.password !== '' || address.search !== '' || address.hash !== '') {
    throw new TypeError('The address of a server has no user, query or fragment: it is like http://127.0.0.1:7470.');
  }
  return address.href;
}

/**
 * Calls, and leaves the call when its time is up or one of the signals aborts, whatever the call makes of its own
 * signal: `fetch` holds signals weakly, and one that has been collected, as those of `AbortSignal.any` and
 * `AbortSignal.timeout` may be, never aborts.
 */
function bounded<T>(
  millis: number,
  signals: readonly AbortSignal[],
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const leave = (reason: unknown): void => {
      reject(reason);
      controller.abort(reason);
    };
    const follow = (): void => leave(signals.find((signal) => signal.aborted)?.reason);
    const giveUp = (): void => leave(new DOMException('the time is up', 'TimeoutError'));
    const timer = millis === Infinity ? undefined : setTimeout(giveUp, Math.min(LONGEST_TIMER, millis));
    signals.forEach((signal) => signal.addEventListener('abort', follow));
    if (signals.some((signal) => signal.aborted)) {
      follow();
    }
    call(controller.signal)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
        signals.forEach((signal) => signal.removeEventListener('abort', follow));
      });
  });
}

interface Reply {
  readonly status: number;
  readonly isOk: boolean;
  readonly text: string;
  readonly retryAfter: number | undefined;
  readonly location: string | null;
}

async function replyOf(response: Response): Promise<Reply> {
  return {
    status: response.status,
    isOk: response.ok,
    text: await response.text(),
    retryAfter: retryAfter(response.headers.get('retry-after')),
    location: response.headers.get('location'),
  };
}

/** Whether the same request may succeed later. */
export function isTemporary(refused: unknown): boolean {
  return refused instanceof ConnectionLost || (refused instanceof ApiError && RETRIED.has(refused.status));
}

function pauseAfter(tries: number): number {
  return Math.min(LONGEST_PAUSE, 50 * 2 ** Math.min(tries, 10)) * (0.5 + Math.random() / 2);
}

function readReply<T>(text: string, read: (reply: any) => T): T {
  try {
    return read(text === '' ? undefined : decode(text));
  } catch {
    throw new ConnectionLost('the reply is not the JSON of a couch-jobs-server');
  }
}

function toError(reply: Reply): ApiError {
  const problem = problemOf(reply);
  const error = new ApiError(reply.status, problem);
  return error.code === 'lease-lost' ? new LeaseLost(reply.status, problem) : error;
}

function problemOf(reply: Reply): Problem {
  try {
    const problem: unknown = JSON.parse(reply.text);
    if (typeof problem === 'object' && problem !== null) {
      return problem as Problem;
    }
  } catch {
    // it is that of another server
  }
  return reply.location === null ? {} : { title: `The server redirects to ${reply.location}.` };
}

function retryAfter(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header)
    ? Math.min(60, Number(header)) * 1000 * (1 + Math.random() / 5)
    : undefined;
}

function codeOf(thrown: unknown): string {
  return (thrown as { cause?: { code?: string } }).cause?.code ?? '';
}

function describe(thrown: unknown): string {
  const { name, cause } = thrown as Error & { cause?: Error };
  if (name === 'TimeoutError') {
    return 'no response in time';
  }
  const code = codeOf(thrown);
  return code.startsWith('HPE_') ? NO_HTTP : (PLAIN[code] ?? (cause?.message || code || textOf(thrown)));
}
