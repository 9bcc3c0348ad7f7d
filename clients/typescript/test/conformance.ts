// The program of the conformance suite: see rfc/032-worker-protocol.md.
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, Client, LeaseLost, PermanentFailure, Worker, type Job } from '../src/index.js';

const url = process.env['COUCH_JOBS_URL']!;
const client = new Client(url);
let running = 0;

async function halted(job: Job): Promise<void> {
  if (!job.signal.aborted) {
    await once(job.signal, 'abort');
  }
}

async function resume(job: Job<{ steps: number }>): Promise<number> {
  const { steps } = job.data;
  const from = (job.checkpoint ?? 0) as number;
  for (let step = from; step < steps; step++) {
    if (job.attempt === 1 && step === Math.floor(steps / 2)) {
      throw new Error('half');
    }
    await job.log({ step });
    await job.progress(step + 1, steps);
    await job.saveCheckpoint(step + 1);
  }
  return from;
}

async function lost(job: Job): Promise<unknown> {
  if (job.claim > 1) {
    return 'again';
  }
  await halted(job);
  let refused = false;
  try {
    await job.finish('lost', { jobs: [{ type: 'never', id: job.id, data: 1 }] });
  } catch (error) {
    refused = error instanceof LeaseLost;
  }
  await client.add('seen', { id: job.id, data: refused });
  return undefined;
}

async function together(job: Job<number>): Promise<string> {
  running++;
  while (running < job.data) {
    await sleep(10, undefined, { signal: job.signal });
  }
  return 'together';
}

function throws(thrown: unknown): () => never {
  return () => {
    throw thrown;
  };
}

function circle(): unknown {
  const members: unknown[] = [];
  members.push(members);
  return members;
}

function abyss(): unknown {
  let value: unknown = 1;
  for (let i = 0; i < 100_000; i++) {
    value = [value];
  }
  return value;
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function tooDeep(): unknown {
  try {
    return tooDeep();
  } catch (error) {
    return error;
  }
}

/** An array that says of itself that it is longer than what any program holds. */
function endless(): unknown {
  return new Proxy([], { get: (_, name) => (name === 'length' ? 2 ** 24 : null) });
}

const ODD_VALUES: Array<() => unknown> = [
  () => 1n,
  () => ({ deep: [1n] }),
  circle,
  abyss,
  () => [revoked()],
  () => ({ toJSON: throws(new Error('no JSON')) }),
  () => ({ toJSON: throws(undefined) }),
  () => ({ toJSON: () => undefined }),
  () => Object.defineProperty({}, 'a', { enumerable: true, get: throws(null) }),
  () => () => 1,
  () => Symbol('s'),
  () => NaN,
  () => [-Infinity],
  () => [undefined],
  () => [, 1],
  () => new Array(2 ** 32 - 1),
  endless,
  () => [() => 1],
  () => [Symbol('s')],
  () => ({ a: Symbol('s') }),
  () => ({ a: () => 1 }),
  () => new Date(NaN),
  () => new Map([[1, 2]]),
  () => ({ a: new Set() }),
  () => new Error('returned'),
  () => /a/,
  () => Promise.resolve(new WeakMap()),
  () => [new Uint8Array(1)],
  () => new ArrayBuffer(1),
  () => [Object(1n)],
  () => [Object(NaN)],
  () => ({ then: throws('then') }),
];

class Unnamed extends Error {
  static {
    Object.defineProperty(this, 'name', { value: '' });
  }
}

const ODD_ERRORS: unknown[] = [
  undefined,
  null,
  'text',
  '',
  5n,
  Symbol('s'),
  Object.create(null),
  revoked(),
  { toString: throws('no text') },
  { message: 'no error' },
  Object.defineProperty(new Error('a'), 'message', { get: throws('no message') }),
  Object.defineProperty(new Error('a'), 'stack', { get: throws('no stack') }),
  Object.assign(new Error('a'), { message: 5, stack: {} }),
  Object.assign(new Error('a'), { constructor: undefined }),
  Object.assign(new Error('a'), { constructor: { name: 5 } }),
  new Unnamed('a'),
  new Error('long'.repeat(100_000)),
  new Error('\ud800\0'),
  tooDeep(),
  new DOMException('aborted', 'AbortError'),
  new LeaseLost(409, { halt: 'lost' }),
  new ApiError(500, {}),
  new ApiError(400, JSON.parse('{"type": 1, "detail": ["no text"]}')),
];

const ODD_ARGUMENTS: Array<(job: Job) => Promise<unknown>> = [
  (job) => job.snooze(-1),
  (job) => job.snooze(NaN),
  (job) => job.snooze(Infinity),
  (job) => job.snooze(1e300),
  (job) => job.snooze('5' as any),
  (job) => job.snooze(5n as any),
  (job) => job.progress(-1),
  (job) => job.progress(NaN),
  (job) => job.progress(1, 1e30),
  (job) => client.result(job.type, job.id, -1),
  () => client.topic('t').read(0, { wait: Infinity }),
];

/** What a handler leaves behind: nobody awaits it, and nobody catches it. */
const STRAYS: Array<(job: Job) => unknown> = [
  (job) => void job.log(1n),
  (job) => void job.progress(-1),
  (job) => void job.finish({ stray: 1n }),
  (job) => void job.snooze(-1),
  async (job) => void job.log(1n).then(() => 'logged'),
  () => void Promise.reject(new Error('stray')),
  () => void Promise.reject(undefined),
  () => void (async () => Promise.reject(new Error('stray')))(),
  async (job) => {
    void job.log('first').then(throws(new Error('stray')));
    return 'returned';
  },
  async () => {
    setImmediate(throws(new Error('stray')));
    await new Promise(() => {}); // only the callback would have ended it
  },
  async () => {
    setTimeout(throws(new Error('stray')), 5);
    await new Promise(() => {});
  },
  async () => {
    process.nextTick(throws(new Error('stray')));
    await new Promise(() => {});
  },
  async () => {
    setImmediate(() => new EventEmitter().emit('error', new Error('stray')));
    await new Promise(() => {});
  },
  async () => {
    const target = new EventTarget();
    target.addEventListener('some', throws(new Error('stray')));
    target.dispatchEvent(new Event('some'));
    await new Promise(() => {});
  },
];

/** What a program does when its job is lost. */
const LISTENERS: Array<(job: Job) => unknown> = [
  (job) => job.signal.addEventListener('abort', throws(new Error('listener'))),
  (job) => job.signal.addEventListener('abort', throws(undefined), { once: true }),
  (job) => job.signal.addEventListener('abort', { handleEvent: throws(new Error('listener')) }),
  (job) => job.signal.addEventListener('abort', async () => Promise.reject(new Error('listener'))),
  (job) => (job.signal.onabort = throws(new Error('listener'))),
  (job) => AbortSignal.any([job.signal]).addEventListener('abort', throws(new Error('listener'))),
  (job) => job.signal.addEventListener('abort', () => void job.log('late')),
  (job) => job.signal.addEventListener('abort', () => setImmediate(throws(new Error('listener')))),
  (job) => void sleep(3_600_000, undefined, { signal: job.signal }),
];

async function outcome(job: Job): Promise<unknown> {
  const { as: kind, length, n } = job.data;
  switch (kind) {
    case 'text':
      return 'x'.repeat(length);
    case 'error':
      throw new Error('told');
    case 'cancellation':
      return sleep(3_600_000, undefined, { signal: AbortSignal.abort() });
    case 'payload-text':
      return job.dataText;
    case 'odd-value':
      return n < ODD_VALUES.length ? ODD_VALUES[n]!() : 'no more';
    case 'stray':
      return n < STRAYS.length ? STRAYS[n]!(job) : 'no more';
    case 'listener':
      if (n < LISTENERS.length) {
        LISTENERS[n]!(job);
        await halted(job);
      }
      break;
    case 'odd-argument':
      if (n < ODD_ARGUMENTS.length) {
        await ODD_ARGUMENTS[n]!(job);
        return 'it was taken';
      }
      break;
    case 'odd-error':
      if (n < ODD_ERRORS.length) {
        throw ODD_ERRORS[n];
      }
  }
  return 'no more';
}

await new Worker(url, {
  name: process.env['COUCH_JOBS_WORKER']!,
  concurrency: Number(process.env['COUCH_JOBS_CONCURRENCY'] ?? 8),
  grace: 1_000,
  giveUpAfter: Number(process.env['COUCH_JOBS_GIVE_UP_AFTER'] ?? 30_000),
  retry: { initialDelay: 'PT0S' },
  warn: () => {},
})
  .handle('echo', (job) => job.data)
  .handle('fail-once', (job) => {
    if (job.attempt === 1) {
      throw new Error('first');
    }
    return job.attempt;
  })
  .handle('fail-forever', () => {
    throw new PermanentFailure('never');
  })
  .handle('snooze', async (job) => {
    if (job.checkpoint === undefined) {
      await job.snooze(1_000, { checkpoint: 1 });
    }
    return 'awake';
  })
  .handle('resume', resume)
  .handle('follow', (job) => job.finish('followed', { jobs: [job.data] }))
  .handle('slow', async (job) => {
    await job.progress(0, 1);
    await sleep(job.data.millis);
    return 'slow';
  })
  .handle('wait', async (job) => {
    await job.progress(0, 1);
    await halted(job);
    await client.add('seen', { id: job.id, data: job.halt });
    throw new Error('halted');
  })
  .handle('lost', lost)
  .handle('together', together)
  .handle('give-up', (job) => job.cancel('enough'))
  .handle('outcome', outcome)
  .handle('plain', (job) => {
    if (job.data === 'error') {
      throw new Error('told');
    }
    return job.data;
  })
  .run();
