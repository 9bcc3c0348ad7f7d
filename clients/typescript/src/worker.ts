import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NewJob } from './client.js';
import { fromMillis, toMillis } from './duration.js';
import { ApiError, ConnectionLost, LeaseLost, PermanentFailure, type Halt } from './errors.js';
import { Http, type SendOptions } from './http.js';

const WAIT = 20_000;
const QUIET_PAUSE = 2_000;
const LONGEST_SILENCE = 20_000;
const AFTER_SIGNAL = 10_000;
const AWAY_PAUSE = 2_000;
const RENEWED_MAX = 400;
const RELEASE: SendOptions = { timeout: 5_000, giveUpAfter: 5_000 };
const VERSION = 'typescript 0.1.0';

type Order = 'run' | 'quiet' | 'drain';

interface Claim {
  readonly type: string;
  readonly id: string;
  readonly lock: string;
  readonly claim: number;
  readonly attempt: number;
  readonly timeout: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: unknown;
  readonly checkpoint?: unknown;
}

/** What a worker says of a job; all of it is stored in one transaction, which needs the claim. */
export interface Report {
  /** Entries for the log of the job. */
  readonly log?: readonly unknown[];
  readonly progress?: { readonly done: number; readonly total?: number; readonly text?: string };
  /** From where the next attempt may go on. */
  readonly checkpoint?: unknown;
  /** Jobs to add. */
  readonly jobs?: ReadonlyArray<NewJob & { readonly type: string }>;
}

/** When a job without a retry policy of its own is tried again; durations as in ISO 8601. */
export interface RetryPolicy {
  readonly maxAttempts?: number;
  readonly initialDelay?: string;
  readonly factor?: number;
  readonly maxDelay?: string;
  readonly jitter?: number;
}

/** Runs a job. What it returns is the result; what it throws makes the attempt fail. */
export type Handler<D = any> = (job: Job<D>) => unknown | Promise<unknown>;

/** A job that this worker holds. */
export class Job<D = any> {
  readonly type: string;
  readonly id: string;
  readonly data: D;
  /** The number of the claim; the claims on a job are never numbered alike. */
  readonly claim: number;
  /** Which attempt this is, from 1; attempts without a failure are not counted. */
  readonly attempt: number;
  readonly headers: Readonly<Record<string, string>>;
  /** After how many milliseconds without a heartbeat the claim expires. The worker sends them. */
  readonly timeout: number;
  /** Aborts when the job is no longer this worker's; its `reason` is a {@link Halt}. */
  readonly signal: AbortSignal;
  /** The last checkpoint, of earlier claims or of this one. */
  checkpoint: unknown;

  readonly #http: Http;
  readonly #lock: string;
  readonly #abort = new AbortController();
  #hasEnded = false;

  /** @internal */
  constructor(http: Http, claim: Claim) {
    this.#http = http;
    this.#lock = claim.lock;
    this.type = claim.type;
    this.id = claim.id;
    this.data = claim.data as D;
    this.claim = claim.claim;
    this.attempt = claim.attempt;
    this.headers = claim.headers;
    this.timeout = toMillis(claim.timeout);
    this.checkpoint = claim.checkpoint;
    this.signal = this.#abort.signal;
  }

  /** Why the job is no longer this worker's, if it is not. */
  get halt(): Halt | undefined {
    return this.signal.aborted ? (this.signal.reason as Halt) : undefined;
  }

  /** Whether a verb of this object has ended the job. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** @internal */
  held(): { type: string; id: string; lock: string } {
    return { type: this.type, id: this.id, lock: this.#lock };
  }

  /** @internal */
  stop(reason: Halt): void {
    if (!this.#hasEnded && !this.signal.aborted) {
      this.#abort.abort(reason);
    }
  }

  /** @internal */
  async end(verb: string, body: object, options: SendOptions = {}): Promise<void> {
    await this.#say(verb, body, options);
    this.#hasEnded = true;
  }

  #say(verb: string, body: object, options: SendOptions = {}): Promise<unknown> {
    const path = `/v1/work/types/${encodeURIComponent(this.type)}/jobs/${encodeURIComponent(this.id)}/${verb}`;
    const key = verb === 'update' ? { key: randomUUID() } : {}; // an end is repeatable by its lock
    return this.#http.send('POST', path, { lock: this.#lock, ...body }, { ...options, ...key });
  }

  /** Renews the claim and stores a report. Throws {@link LeaseLost} if the claim is lost; nothing was written. */
  async update(report: Report): Promise<void> {
    await this.#say('update', report);
    if (report.checkpoint !== undefined) {
      this.checkpoint = report.checkpoint;
    }
  }

  /** Appends an entry to the log of the job. */
  log(entry: unknown): Promise<void> {
    return this.update({ log: [entry] });
  }

  /** Says how far the job is. */
  progress(done: number, total = 0, text = ''): Promise<void> {
    return this.update({ progress: { done, total, text } });
  }

  /** Stores from where the next attempt may go on. */
  saveCheckpoint(checkpoint: unknown): Promise<void> {
    return this.update({ checkpoint });
  }

  /**
   * Ends the job with a result and a report, such as `jobs` to add, in one transaction. A handler that only has a
   * result returns it instead.
   */
  finish(result?: unknown, report: Report = {}): Promise<void> {
    return this.end('finish', result === undefined || result === null ? report : { ...report, result });
  }

  /** Makes the job pending again, due after that many milliseconds. It is no failure. The handler should return. */
  snooze(millis: number, report: Report = {}): Promise<void> {
    return this.end('snooze', { ...report, time: fromMillis(millis) });
  }

  /** Ends the job as cancelled. The handler should return. */
  cancel(reason = '', report: Report = {}): Promise<void> {
    return this.end('cancel', { ...report, reason });
  }
}

export interface WorkerOptions {
  /** By which operators see and steer the worker; the host and process by default. */
  readonly name?: string;
  /** How many jobs it runs at once: 8 by default. */
  readonly concurrency?: number;
  /** How many milliseconds a job may go on after SIGTERM: 20,000 by default. Then it is halted and released. */
  readonly grace?: number;
  readonly token?: string;
  readonly retry?: RetryPolicy;
  /**
   * Receives what goes wrong: a line, and what a handler has thrown; `console.warn` by default. An outage of the server
   * is one line, its end another.
   */
  readonly warn?: (message: string, error?: unknown) => void;
}

/** Runs handlers for jobs, several at a time. */
export class Worker {
  readonly #http: Http;
  readonly #handlers = new Map<string, Handler>();
  readonly #id = randomUUID();
  readonly #name: string;
  readonly #concurrency: number;
  readonly #grace: number;
  readonly #retry: RetryPolicy | undefined;
  readonly #warn: (message: string, ...error: unknown[]) => void;
  readonly #startedAt = new Date().toISOString();
  readonly #running = new Map<Job, Promise<void>>();
  readonly #stopping = new AbortController();
  #wake: () => void = () => {};

  /** @param url the address of the server */
  constructor(url: string, options: WorkerOptions = {}) {
    this.#name = options.name ?? `${hostname()}-${process.pid}`;
    this.#concurrency = options.concurrency ?? 8;
    this.#grace = options.grace ?? 20_000;
    this.#retry = options.retry;
    this.#warn = options.warn ?? ((message, ...error) => console.warn(message, ...error));
    this.#http = new Http(url, options.token, (line) => this.#warn(line));
  }

  /** Handles the jobs of a type. */
  handle<D = any>(type: string, handler: Handler<D>): this {
    this.#handlers.set(type, handler);
    return this;
  }

  /** Lets {@link run} end when the running jobs have ended. */
  stop(): void {
    this.#stopping.abort();
  }

  /**
   * Works until SIGTERM, SIGINT, {@link stop}, or until an operator drains the worker. While the server is away, the
   * worker tries again, and ends within a few seconds when it is told to: the claims on its jobs expire then.
   *
   * @throws ApiError if the server refuses the worker, for example because of its token
   */
  async run(): Promise<void> {
    if (this.#handlers.size === 0) {
      throw new Error('The worker has no handlers: call handle first.');
    }
    const onSignal = (): void => this.stop();
    process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
    const end = new AbortController();
    const heartbeats = this.#heartbeats(end.signal);
    try {
      while (!this.#stopping.signal.aborted) {
        await this.#claimSome();
      }
    } finally {
      this.stop();
      await this.#endJobs();
      end.abort();
      await heartbeats;
      await this.#sayGoodbye();
      this.#http.close();
      process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
    }
  }

  #describe(): object {
    return {
      name: this.#name,
      id: this.#id,
      types: [...this.#handlers.keys()].sort(),
      host: hostname(),
      version: VERSION,
      concurrency: this.#concurrency,
      running: this.#running.size,
      draining: this.#stopping.signal.aborted,
      startedAt: this.#startedAt,
    };
  }

  // Claims

  async #claimSome(): Promise<void> {
    const stopping = this.#stopping.signal;
    const free = this.#concurrency - this.#running.size;
    if (free <= 0) {
      await this.#aSlotOrStop();
      return;
    }
    const request = { requestId: randomUUID(), max: Math.min(free, 100), wait: fromMillis(WAIT) };
    let reply: { order: Order; claims: Claim[] };
    try {
      reply = await this.#http.send(
        'POST',
        '/v1/work/claims',
        { ...request, worker: this.#describe() },
        { timeout: WAIT + 30_000, signal: stopping, onRepeat: { repeated: true } },
      );
    } catch (error) {
      if (stopping.aborted) {
        await this.#releaseUnread(request);
        return;
      }
      throw error;
    }
    for (const claim of reply.claims) {
      this.#start(new Job(this.#http, claim));
    }
    if (reply.order === 'drain') {
      this.stop();
    } else if (reply.order === 'quiet') {
      await sleep(QUIET_PAUSE, undefined, { signal: stopping }).catch(() => undefined);
    }
  }

  #aSlotOrStop(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#stopping.signal.removeEventListener('abort', done);
        this.#wake = () => {};
        resolve();
      };
      this.#wake = done;
      this.#stopping.signal.addEventListener('abort', done);
    });
  }

  /** The server may have claimed jobs for a call that was given up. */
  async #releaseUnread(request: object): Promise<void> {
    if (this.#http.awaySince !== undefined) {
      return;
    }
    try {
      const reply = await this.#http.send<{ claims: Claim[] }>(
        'POST',
        '/v1/work/claims',
        { ...request, wait: 'PT0S', repeated: true, worker: this.#describe() },
        { timeout: 5_000, giveUpAfter: 5_000 },
      );
      await Promise.all(reply.claims.map((claim) => new Job(this.#http, claim).end('release', {})));
    } catch (error) {
      this.#warn(`Claims could not be released, they expire: ${messageOf(error)}`);
    }
  }

  // Jobs

  #start(job: Job): void {
    const done = this.#run(job)
      .catch((error: unknown) => {
        if (!(error instanceof LeaseLost || this.#http.isClosed)) {
          this.#warn(`Job ${job.id} of type ${job.type} could not be ended, its claim expires: ${messageOf(error)}`);
        }
      })
      .finally(() => {
        this.#running.delete(job);
        this.#wake();
      });
    this.#running.set(job, done);
  }

  async #run(job: Job): Promise<void> {
    let result: unknown;
    try {
      result = await this.#handlers.get(job.type)!(job);
    } catch (error) {
      if (error instanceof LeaseLost || job.hasEnded) {
        return;
      }
      if (job.halt === undefined) {
        await this.#fail(job, error);
      } else if (job.halt === 'shutdown') {
        await job.end('release', {});
      }
      return;
    }
    if (job.hasEnded || (job.halt !== undefined && job.halt !== 'shutdown')) {
      return;
    }
    try {
      await job.finish(result);
    } catch (error) {
      if (error instanceof LeaseLost || !(error instanceof ApiError || error instanceof TypeError)) {
        throw error;
      }
      await this.#fail(job, new PermanentFailure(`The result cannot be stored: ${error.message}`));
    }
  }

  async #fail(job: Job, thrown: unknown): Promise<void> {
    this.#warn(`Job ${job.id} of type ${job.type} has failed`, thrown);
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    await job.end('fail', {
      error: {
        type: error.constructor.name.slice(0, 300) || 'Error',
        message: error.message.slice(0, 10_000),
        stack: (error.stack ?? '').slice(0, 20_000),
      },
      retry: !(thrown instanceof PermanentFailure),
      ...(this.#retry ? { policy: this.#retry } : {}),
    });
  }

  // Heartbeats

  async #heartbeats(end: AbortSignal): Promise<void> {
    let last = performance.now();
    while (!end.aborted) {
      const shortest = Math.min(3 * LONGEST_SILENCE, ...[...this.#running.keys()].map((job) => job.timeout));
      const pause = last + Math.min(LONGEST_SILENCE, shortest / 4) - performance.now();
      if (pause > 0) {
        // A job with a shorter timeout may start meanwhile.
        await sleep(Math.min(pause, 250), undefined, { signal: end }).catch(() => undefined);
        continue;
      }
      last = performance.now();
      const jobs = [...this.#running.keys()];
      for (let i = 0; i === 0 || i < jobs.length; i += RENEWED_MAX) {
        await this.#renew(jobs.slice(i, i + RENEWED_MAX), shortest, end);
      }
    }
  }

  async #renew(jobs: Job[], shortest: number, end: AbortSignal): Promise<void> {
    try {
      const reply = await this.#http.send<{ order: Order; claims: Array<{ result: 'renewed' | Halt }> }>(
        'POST',
        '/v1/work/heartbeats',
        { worker: this.#describe(), claims: jobs.map((job) => job.held()) },
        { timeout: Math.max(1_000, shortest / 4), giveUpAfter: shortest / 2, signal: end },
      );
      reply.claims.forEach((claim, i) => {
        if (claim.result !== 'renewed') {
          jobs[i]?.stop(claim.result);
        }
      });
      if (reply.order === 'drain') {
        this.stop();
      }
    } catch (error) {
      if (!end.aborted && !(error instanceof ConnectionLost)) {
        this.#warn(`A heartbeat has failed: ${messageOf(error)}`);
      }
    }
  }

  // The end

  async #endJobs(): Promise<void> {
    await this.#settled(this.#grace);
    for (const job of this.#running.keys()) {
      job.stop('shutdown');
    }
    await this.#settled(AFTER_SIGNAL);
    const left = [...this.#running.keys()];
    if (this.#http.awaySince === undefined) {
      await Promise.all(left.map((job) => job.end('release', {}, RELEASE).catch(() => undefined)));
    }
    const held = left.filter((job) => !job.hasEnded).length;
    if (held > 0) {
      this.#warn(`The worker ends and leaves claims, which expire: ${held}.`);
    }
  }

  /** Waits for the jobs for a time, and a short one while the server is away: it does not learn of their ends. */
  async #settled(millis: number): Promise<void> {
    const start = performance.now();
    let haveEnded = false;
    const jobs = Promise.all(this.#running.values()).then(() => (haveEnded = true));
    while (!haveEnded) {
      const away = this.#http.awaySince;
      const end = Math.min(start + millis, away === undefined ? Infinity : Math.max(start, away) + AWAY_PAUSE);
      if (performance.now() >= end) {
        return;
      }
      const timer = new AbortController();
      this.#http.onChange = () => timer.abort();
      await Promise.race([
        jobs,
        sleep(end - performance.now(), undefined, { signal: timer.signal }).catch(() => undefined),
      ]);
      timer.abort();
    }
  }

  async #sayGoodbye(): Promise<void> {
    if (this.#http.awaySince !== undefined) {
      return;
    }
    try {
      const options = { timeout: 5_000, giveUpAfter: 5_000 };
      await this.#http.send('POST', '/v1/work/workers/end', { name: this.#name, id: this.#id }, options);
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof ConnectionLost)) {
        throw error;
      }
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
