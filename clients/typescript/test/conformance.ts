// The program of the conformance suite: see rfc/032-worker-protocol.md.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, LeaseLost, PermanentFailure, Worker, type Job } from '../src/index.js';

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

await new Worker(url, {
  name: process.env['COUCH_JOBS_WORKER']!,
  concurrency: 8,
  grace: 1_000,
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
  .run();
