import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ConnectionLost, LeaseLost, type Problem } from './errors.js';

const LONGEST_PAUSE = 10_000;
const RETRIED = new Set([429, 500, 502, 503, 504]);

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

/** Sends requests to one server, and repeats them until there is a reply. */
export class Http {
  readonly #url: string;
  readonly #token: string | undefined;

  constructor(url: string, token: string | undefined) {
    this.#url = new URL(url).href.replace(/\/$/, '');
    this.#token = token;
  }

  async send<T>(method: string, path: string, body: object | undefined, options: SendOptions = {}): Promise<T> {
    const end = options.giveUpAfter === undefined ? Infinity : performance.now() + options.giveUpAfter;
    let sent = body;
    for (let tries = 0; ; tries++) {
      let error: Error;
      let pause = Math.min(LONGEST_PAUSE, 50 * 2 ** Math.min(tries, 10)) * (0.5 + Math.random() / 2);
      try {
        const response = await this.#try(method, path, sent, options);
        if (response.status < 400) {
          return response.body as T;
        }
        error = toError(response.status, response.body);
        if (!RETRIED.has(response.status)) {
          throw error;
        }
        pause = response.retryAfter ?? pause;
      } catch (thrown) {
        options.signal?.throwIfAborted();
        if (thrown instanceof ApiError) {
          throw thrown;
        }
        error = new ConnectionLost(`${method} ${path}: ${describe(thrown)}`);
      }
      if (performance.now() + pause > end) {
        throw error;
      }
      await sleep(pause, undefined, options.signal ? { signal: options.signal } : {}).catch(() =>
        options.signal?.throwIfAborted(),
      );
      sent = options.onRepeat ? { ...body, ...options.onRepeat } : body;
    }
  }

  async #try(
    method: string,
    path: string,
    body: object | undefined,
    options: SendOptions,
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
      signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
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
  const error = thrown as { message?: string; cause?: { message?: string } };
  return error.cause?.message ?? error.message ?? String(thrown);
}
