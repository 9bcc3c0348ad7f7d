import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ConnectionLost, LeaseLost, type Problem } from './errors.js';

const LONGEST_PAUSE = 10_000;
/** The server shows each 15 seconds that a stream lives. */
const SILENCE = 60_000;
const RETRIED = new Set([429, 500, 502, 503, 504]);
const AWAY = new Set([502, 503, 504]);

const UNTRUSTED = 'its certificate is not trusted, see NODE_EXTRA_CA_CERTS';
const PLAIN: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  ENOTFOUND: 'the name of its host is not known',
};

export interface SendOptions {
  /** An idempotency key; repeated requests have the same. */
  readonly key?: string;
  /** How many milliseconds one try may take. */
  readonly timeout?: number;
  /** After how many milliseconds no further try is made; never if it is left out. */
  readonly giveUpAfter?: number;
  /** Ends the request and closes its connection. */
  readonly signal?: AbortSignal;
  /** Members that are added to the body of repeated requests. */
  readonly onRepeat?: object;
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
  #awaySince: number | undefined;
  /** Is called when the server is away, and when it answers again. */
  onChange: () => void = () => {};

  constructor(url: string, token: string | undefined, write: (line: string) => void) {
    this.#url = new URL(url).href.replace(/\/$/, '');
    this.#token = token;
    this.#write = write;
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
    if (this.#awaySince !== undefined) {
      this.#awaySince = undefined;
      this.#write(`The server ${this.#url} answers again.`);
      this.onChange();
    }
  }

  async send<T>(method: string, path: string, body: object | undefined, options: SendOptions = {}): Promise<T> {
    const end = options.giveUpAfter === undefined ? Infinity : performance.now() + options.giveUpAfter;
    const signal = options.signal ? AbortSignal.any([options.signal, this.#closing.signal]) : this.#closing.signal;
    let sent = body;
    for (let tries = 0; ; tries++) {
      let error: Error;
      let pause = pauseAfter(tries);
      try {
        const response = await this.#try(method, path, sent, options, signal);
        if (!AWAY.has(response.status)) {
          this.#answers();
        }
        if (response.status < 400) {
          return response.body as T;
        }
        error = toError(response.status, response.body);
        if (!RETRIED.has(response.status)) {
          throw error;
        }
        if (AWAY.has(response.status)) {
          this.#isAway(error.message);
        }
        pause = response.retryAfter ?? pause;
      } catch (thrown) {
        signal.throwIfAborted();
        if (thrown instanceof ApiError) {
          throw thrown;
        }
        const cause = describe(thrown);
        this.#isAway(cause);
        error = new ConnectionLost(`${method} ${this.#url}${path}: ${cause}`);
      }
      if (performance.now() + pause > end) {
        throw error;
      }
      await sleep(pause, undefined, { signal }).catch(() => signal.throwIfAborted());
      sent = options.onRepeat ? { ...body, ...options.onRepeat } : body;
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
            data = line.slice(6);
          } else if (line.startsWith('event: ')) {
            event = line.slice(7);
          } else if (line === '') {
            last = id ?? last;
            if (event === 'trimmed') {
              this.#write(`GET ${path}: retention has removed messages before they were read: ${data}`);
            } else if (data !== undefined) {
              yield JSON.parse(data) as T;
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
    const silence = setTimeout(() => leaving.abort(new DOMException('no sign of life', 'TimeoutError')), SILENCE);
    try {
      const signal = AbortSignal.any([leaving.signal, this.#closing.signal]);
      const response = await fetch(this.#url + path, { headers, signal });
      if (!response.ok || response.body === null) {
        throw toError(response.status, parse(await response.text(), false));
      }
      const decoder = new TextDecoder();
      let rest = '';
      for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
        silence.refresh();
        const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        yield* lines;
        silence.refresh();
      }
    } finally {
      clearTimeout(silence);
      leaving.abort();
    }
  }

  async #try(
    method: string,
    path: string,
    body: object | undefined,
    options: SendOptions,
    signal: AbortSignal,
  ): Promise<{ status: number; body: unknown; retryAfter: number | undefined }> {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (body) {
      headers['content-type'] = 'application/json';
    }
    if (this.#token !== undefined) {
      headers['authorization'] = `Bearer ${this.#token}`;
    }
    if (options.key !== undefined) {
      headers['idempotency-key'] = options.key;
    }
    const timeout = AbortSignal.timeout(options.timeout ?? 30_000);
    const response = await fetch(this.#url + path, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.any([signal, timeout]),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: parse(text, response.ok),
      retryAfter: retryAfter(response.headers.get('retry-after')),
    };
  }
}

function pauseAfter(tries: number): number {
  return Math.min(LONGEST_PAUSE, 50 * 2 ** Math.min(tries, 10)) * (0.5 + Math.random() / 2);
}

function parse(text: string, isOk: boolean): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch (error) {
    if (isOk) {
      throw error;
    }
    return undefined;
  }
}

function toError(status: number, body: unknown): ApiError {
  const problem = (typeof body === 'object' && body !== null ? body : {}) as Problem;
  const error = new ApiError(status, problem);
  return error.code === 'lease-lost' ? new LeaseLost(status, problem) : error;
}

function retryAfter(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header)
    ? Math.min(60, Number(header)) * 1000 * (1 + Math.random() / 5)
    : undefined;
}

function describe(thrown: unknown): string {
  const { name, message, cause } = thrown as Error & { cause?: Error & { code?: string } };
  if (name === 'TimeoutError') {
    return 'no response in time';
  }
  return (cause && PLAIN[cause.code ?? '']) ?? (cause?.message || cause?.code || message || String(thrown));
}
