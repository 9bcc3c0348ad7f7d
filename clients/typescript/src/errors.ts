/** What the server says of a request that it refuses (RFC 9457). */
export interface Problem {
  readonly type?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly halt?: Halt;
  readonly [member: string]: unknown;
}

/** Why a job is no longer a worker's. */
export type Halt = 'lost' | 'cancelled' | 'removed' | 'ended' | 'shutdown';

/** The server refuses a request. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    super(`${status}: ${problem.detail ?? problem.title ?? 'no detail'}`);
    this.name = new.target.name;
  }

  /** The code of the problem, such as `not-found`. */
  get code(): string {
    return String(this.problem.type ?? '').split(':').at(-1) ?? '';
  }
}

/** The claim no longer holds; nothing of the call was written. */
export class LeaseLost extends ApiError {
  get halt(): Halt {
    return this.problem.halt ?? 'lost';
  }
}

/** There was no complete response in time. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost';
}

/** A value cannot be written as JSON. Nothing was sent. */
export class NotJson extends TypeError {
  override name = 'NotJson';
}

/** Thrown by a handler: another attempt would fail too. */
export class PermanentFailure extends Error {
  override name = 'PermanentFailure';
}

/** A job whose result was awaited has ended without success. */
export class JobFailed extends Error {
  override name = 'JobFailed';

  constructor(
    readonly type: string,
    readonly id: string,
    readonly outcome: string,
    readonly error?: string,
  ) {
    super(`Job ${id} of type ${type} has ended: ${outcome}${error ? `: ${error}` : ''}`);
  }
}

/** A job whose result was awaited has not ended in time. */
export class ResultTimeout extends Error {
  override name = 'ResultTimeout';
}

/** The text of what was thrown, whatever it is. */
export function textOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return 'its text cannot be read';
  }
}
