import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NewJob } from './client.js';
import { fromMillis, toMillis } from './duration.js';
import { ApiError, ConnectionLost, LeaseLost, NotJson, PermanentFailure, textOf, type Halt } from './errors.js';
import { Http, isTemporary, type SendOptions } from './http.js';
import { encode, fromBase64 } from './json.js';
import { count, duration, LONGEST_TIMER, patience } from './numbers.js';
import { segment } from './path.js';
import { dropping, told, watch, within, type Receiver } from './strays.js';

const WAIT = 20_000;
const QUIET_PAUSE = 2_000;
const LONGEST_SILENCE = 20_000;
const AFTER_SIGNAL = 10_000;
const AWAY_PAUSE = 2_000;
const RENEWED_MAX = 400;
const LONGEST_TRY = 30_000;
const LONGEST_OUTAGE = 600_000;
const AT_THE_END: SendOptions<any> = { timeout: 5_000, giveUpAfter: 5_000, outage: 0 };
/** What the server takes. */
const CONCURRENCY_MAX = 1_000_000;
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
  readonly data?: unknown;
  readonly dataText?: string;
  readonly dataBytes?: string;
  readonly dataMediaType?: string;
  readonly checkpoint?: unknown;
}

type Stray = (job: Job, error: unknown) => void;

/** What a worker says of a job; all of it is stored in one transaction, which needs the claim. */
export interface Report {
  /** What a result that is a `Uint8Array` is; `application/octet-stream` if it is left out. */
  readonly resultMediaType?: string;
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

/**
 * A job that this worker holds. A verb is repeated on lost connections, 408, 429 and 5xx, without a second effect, as
 * long as `giveUpAfter` of the worker says. Then it throws the last {@link ApiError} or {@link ConnectionLost}.
 */
export class Job<D = any> {
  readonly type: string;
  readonly id: string;
  /** The payload; a `Uint8Array` if it is no JSON. Numbers that a `number` does not hold are `ExactNumber`. */
  readonly data: D;
  /** The text of the payload, in JSON; empty if it is no JSON. */
  readonly dataText: string;
  /** What the payload is. */
  readonly mediaType: string;
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
  readonly #giveUpAfter: number;
  readonly #abort = new AbortController();
  readonly #receive: Receiver;
  /** The verbs that have not settled. */
  readonly #verbs = new Set<Promise<void>>();
  /** Settles with the last of the verbs that end the job. */
  #ends: Promise<void> = Promise.resolve();
  #isCalled = false;
  #hasEnded = false;
  #isLost = false;

  /** @internal */
  constructor(http: Http, claim: Claim, giveUpAfter: number, receive: Stray = () => undefined) {
    this.#receive = (error) => receive(this, error);
    this.#http = http;
    this.#giveUpAfter = giveUpAfter;
    this.#lock = claim.lock;
    this.type = claim.type;
    this.id = claim.id;
    const bytes = claim.dataBytes;
    this.data = (bytes === undefined ? claim.data : fromBase64(bytes)) as D;
    this.dataText = claim.dataText ?? '';
    this.mediaType = claim.dataMediaType ?? 'application/json';
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

  /** @internal Whether the claim is still to be ended, as far as the worker has been told. */
  get isHeld(): boolean {
    return !this.#hasEnded && !this.#isLost;
  }

  /** @internal */
  stop(reason: Halt): void {
    if (this.#hasEnded) {
      return;
    }
    this.#isLost ||= reason !== 'shutdown';
    this.#halt(reason);
  }

  #halt(reason: Halt): void {
    if (!this.signal.aborted) {
      within(this.#receive, () => this.#abort.abort(reason));
    }
  }

  /** @internal Calls a handler. */
  async call(handler: Handler): Promise<unknown> {
    this.#isCalled = true;
    try {
      return await within(this.#receive, () => handler(this));
    } finally {
      this.#isCalled = false;
    }
  }

  /** @internal Tells a handler that goes on, though its job has ended, to stop. */
  leave(): void {
    if (this.#isCalled) {
      this.#halt('ended');
    }
  }

  /** @internal Waits until no verb is on its way, and Node has told of the rejections that nobody has handled. */
  async settled(): Promise<void> {
    while (this.#verbs.size > 0) {
      await Promise.all(this.#verbs);
    }
    await told();
  }

  /** @internal One end after the other: the server takes a second one for a repetition of the first. */
  end(verb: string, body: object): Promise<void> {
    const said = this.#ends.then(() => this.#end(verb, body, {}));
    this.#ends = said.catch(() => undefined);
    return this.#track(said);
  }

  /** @internal Gives the claim back while the worker ends, whatever the handler does. */
  release(): Promise<void> {
    return this.#end('release', {}, AT_THE_END);
  }

  async #end(verb: string, body: object, options: SendOptions): Promise<void> {
    await this.#say(verb, body, options);
    this.#hasEnded = true;
  }

  #track(said: Promise<void>): Promise<void> {
    const settled = said.then(
      () => void this.#verbs.delete(settled),
      () => void this.#verbs.delete(settled),
    );
    this.#verbs.add(settled);
    return said.then(); // nobody has handled its rejection yet
  }

  async #say(verb: string, body: object, options: SendOptions = {}): Promise<void> {
    const path = `/v1/work/types/${segment(this.type)}/jobs/${segment(this.id)}/${verb}`;
    if (this.#hasEnded) {
      // The server would take it for a repetition, and leave out what it says.
      throw new LeaseLost(409, { halt: 'ended', detail: 'A verb of this object has ended the job.' });
    }
    const key = verb === 'update' ? { key: randomUUID() } : {}; // an end is repeatable by its lock
    try {
      await this.#http.send(
        'POST',
        path,
        { lock: this.#lock, ...body },
        {
          timeout: Math.min(LONGEST_TRY, this.#giveUpAfter),
          giveUpAfter: this.#giveUpAfter,
          outage: LONGEST_OUTAGE,
          ...options,
          ...key,
        },
      );
    } catch (error) {
      if (error instanceof LeaseLost) {
        this.stop(error.halt);
      }
      throw error;
    }
  }

  /** Renews the claim and stores a report. Throws {@link LeaseLost} if the claim is lost; nothing was written. */
  async update(report: Report): Promise<void> {
    await this.#track(this.#say('update', report));
    if (report.checkpoint !== undefined) {
      this.checkpoint = report.checkpoint;
    }
  }

  /** Appends an entry to the log of the job. */
  log(entry: unknown): Promise<void> {
    return this.update({ log: [entry] });
  }

  /** Says how far the job is. */
  async progress(done: number, total = 0, text = ''): Promise<void> {
    await this.update({ progress: { done: count('done', done, 0), total: count('total', total, 0), text } });
  }

  /** Stores from where the next attempt may go on. */
  saveCheckpoint(checkpoint: unknown): Promise<void> {
    return this.update({ checkpoint });
  }

  /**
   * Ends the job with a result and a report, such as `jobs` to add, in one transaction. A handler that only has a
   * result returns it instead. The result is what JSON has, or a `Uint8Array`.
   */
  finish(result?: unknown, report: Report = {}): Promise<void> {
    return this.end('finish', result === undefined || result === null ? report : { ...report, result });
  }

  /**
   * Makes the job pending again, due after that many milliseconds, at most 36,500 days. It is no failure. The handler
   * should return.
   */
  async snooze(millis: number, report: Report = {}): Promise<void> {
    await this.end('snooze', { ...report, time: fromMillis(duration('millis', millis)) });
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
  /**
   * For how many milliseconds a verb is repeated that the server does not answer well: 30,000 by default. An outage, in
   * which the server answers nobody, does not count for up to ten minutes.
   */
  readonly giveUpAfter?: number;
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
  readonly #giveUpAfter: number;
  readonly #retry: RetryPolicy | undefined;
  readonly #warn: (message: string, ...error: unknown[]) => void;
  readonly #startedAt = new Date().toISOString();
  readonly #running = new Map<Job, Promise<void>>();
  /** What fails the attempt at a job whose outcome is not known yet. */
  readonly #attempts = new WeakMap<Job, (error: unknown) => void>();
  readonly #stopping = new AbortController();
  #wake: () => void = () => {};

  /** @param url the address of the server */
  constructor(url: string, options: WorkerOptions = {}) {
    this.#name = options.name ?? `${hostname()}-${process.pid}`;
    this.#concurrency = count('concurrency', options.concurrency ?? 8, 1, CONCURRENCY_MAX);
    this.#grace = patience('grace', options.grace ?? 20_000);
    this.#giveUpAfter = patience('giveUpAfter', options.giveUpAfter ?? 30_000);
    encode(options.retry ?? {}); // it is sent with a failure, which nothing should keep from the server
    this.#retry = options.retry;
    const warn = options.warn ?? ((message, ...error: unknown[]) => console.warn(message, ...error));
    this.#warn = (message, ...error) => dropping(() => warn(message, ...error));
    this.#http = new Http(url, options.token, (line) => this.#warn(line));
  }

  /** Handles the jobs of a type. */
  handle<D = any>(type: string, handler: Handler<D>): this {
    if (typeof handler !== 'function') {
      throw new TypeError(`The handler of ${type} is no function.`);
    }
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
    const unwatch = watch();
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
      unwatch();
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
    let reply: { order: Order; jobs: Job[] };
    try {
      reply = await this.#http.send(
        'POST',
        '/v1/work/claims',
        { ...request, worker: this.#describe() },
        { timeout: WAIT + 30_000, signal: stopping, onRepeat: { repeated: true }, read: this.#claims },
      );
    } catch (error) {
      if (stopping.aborted) {
        await this.#releaseUnread(request);
        return;
      }
      throw error;
    }
    for (const job of reply.jobs) {
      this.#start(job);
    }
    if (reply.order === 'drain') {
      this.stop();
    } else if (reply.order === 'quiet') {
      await sleep(QUIET_PAUSE, undefined, { signal: stopping }).catch(() => undefined);
    }
  }

  readonly #claims = (reply: { order: Order; claims: Claim[] }): { order: Order; jobs: Job[] } => ({
    order: reply.order,
    jobs: reply.claims.map((claim) => new Job(this.#http, claim, this.#giveUpAfter, this.#onStray)),
  });

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
      const reply = await this.#http.send(
        'POST',
        '/v1/work/claims',
        { ...request, wait: 'PT0S', repeated: true, worker: this.#describe() },
        { ...AT_THE_END, read: this.#claims },
      );
      await Promise.all(reply.jobs.map((job) => job.release()));
    } catch (error) {
      this.#warn(`Claims could not be released, they expire: ${textOf(error)}`);
    }
  }

  // Jobs

  #start(job: Job): void {
    const done = this.#run(job)
      .catch((error: unknown) => {
        if (!(error instanceof LeaseLost || this.#http.isClosed)) {
          this.#warn(`Job ${job.id} of type ${job.type} could not be ended, its claim expires: ${textOf(error)}`);
        }
      })
      .finally(() => {
        this.#running.delete(job);
        this.#wake();
      });
    this.#running.set(job, done);
  }

  async #run(job: Job): Promise<void> {
    let end: () => Promise<void>;
    try {
      const result = await this.#call(job);
      end = () => this.#finish(job, result);
    } catch (thrown) {
      end = () => (job.halt === 'shutdown' ? job.end('release', {}) : this.#fail(job, thrown));
    }
    if (job.isHeld) {
      await end();
      job.leave();
    }
  }

  /** Returns what a handler returns when its verbs have settled, or throws the first of what is not caught. */
  #call(job: Job): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#attempts.set(job, reject);
      const over = async (end: () => void): Promise<void> => {
        await job.settled();
        this.#attempts.delete(job);
        end();
      };
      job.call(this.#handlers.get(job.type)!).then(
        (result) => over(() => resolve(result)),
        (thrown: unknown) => over(() => reject(thrown)),
      );
    });
  }

  readonly #onStray = (job: Job, error: unknown): void => {
    const fail = this.#attempts.get(job);
    if (fail !== undefined) {
      this.#attempts.delete(job);
      fail(error);
    } else if (!(error instanceof LeaseLost && job.signal.aborted)) {
      this.#warn(`The handler of job ${job.id} of type ${job.type}, which has ended, has left an error behind`, error);
    }
  };

  async #finish(job: Job, result: unknown): Promise<void> {
    try {
      await job.finish(result);
    } catch (refused) {
      if (job.isHeld && isRefusal(refused)) {
        const message = `The result cannot be stored: ${refused.message}`;
        await this.#fail(job, isTemporary(refused) ? new ConnectionLost(message) : new PermanentFailure(message));
      } else {
        throw refused;
      }
    }
  }

  async #fail(job: Job, thrown: unknown): Promise<void> {
    this.#warn(`Job ${job.id} of type ${job.type} has failed`, thrown);
    const error = describe(thrown);
    const retry = !isPermanent(thrown);
    try {
      await job.end('fail', { error, retry, ...(this.#retry ? { policy: this.#retry } : {}) });
    } catch (refused) {
      if (job.isHeld && isRefusal(refused)) {
        await job.end('fail', { error: brief(error, refused), retry });
      } else {
        throw refused;
      }
    }
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
      const reply = await this.#http.send(
        'POST',
        '/v1/work/heartbeats',
        { worker: this.#describe(), claims: jobs.map((job) => job.held()) },
        {
          timeout: Math.max(1_000, shortest / 4),
          giveUpAfter: shortest / 2,
          signal: end,
          read: (body: { order: Order; claims: Array<{ result: 'renewed' | Halt }> }) => ({
            order: body.order,
            results: body.claims.map((claim) => claim.result),
          }),
        },
      );
      reply.results.forEach((result, i) => {
        if (result !== 'renewed') {
          jobs[i]?.stop(result);
        }
      });
      if (reply.order === 'drain') {
        this.stop();
      }
    } catch (error) {
      if (!end.aborted && !(error instanceof ConnectionLost)) {
        this.#warn(`A heartbeat has failed: ${textOf(error)}`);
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
      await Promise.all(left.map((job) => job.release().catch(() => undefined)));
    }
    const held = left.filter((job) => job.isHeld).length;
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
        sleep(Math.min(LONGEST_TIMER, end - performance.now()), undefined, { signal: timer.signal }).catch(
          () => undefined,
        ),
      ]);
      timer.abort();
    }
  }

  async #sayGoodbye(): Promise<void> {
    if (this.#http.awaySince !== undefined) {
      return;
    }
    try {
      await this.#http.send('POST', '/v1/work/workers/end', { name: this.#name, id: this.#id }, AT_THE_END);
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof ConnectionLost)) {
        throw error;
      }
    }
  }
}

type Refusal = ApiError | ConnectionLost | NotJson;

function isRefusal(error: unknown): error is Refusal {
  return error instanceof ApiError || error instanceof ConnectionLost || error instanceof NotJson;
}

interface Description {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
}

/** Describes what a handler has thrown: an error, whose members may throw when they are read, or any value. */
function describe(thrown: unknown): Description {
  return {
    type: read(() => (thrown instanceof Error ? thrown.constructor.name : ''), 300) || 'Error',
    message: read(() => textOf(thrown), 10_000),
    stack: read(() => (thrown instanceof Error ? thrown.stack : ''), 20_000),
  };
}

function read(member: () => unknown, longest: number): string {
  try {
    return String(member() ?? '').slice(0, longest).replace(/\p{Surrogate}/gu, '\ufffd');
  } catch {
    return '';
  }
}

function isPermanent(thrown: unknown): boolean {
  try {
    return thrown instanceof PermanentFailure;
  } catch {
    return false;
  }
}

/** A failure that is told in brief, as the server has not taken its description. */
function brief(error: Description, refused: Refusal): Description {
  const message = `${error.message.slice(0, 300)} (The server did not take more: ${refused.message.slice(0, 300)})`;
  return { type: plain(error.type), message: plain(message) };
}

function plain(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}
