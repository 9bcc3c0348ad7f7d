import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ConnectionLost, LeaseLost, type Problem } from './errors.js';

const LONGEST_PAUSE = 10_000;
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
      let pause = Math.min(LONGEST_PAUSE, 50 * 2 ** Math.min(tries, 10)) * (0.5 + Math.random() / 2);
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
