import assert from 'node:assert/strict';
import test from 'node:test';
import { ApiError, LeaseLost, Worker, type Job } from '../src/index.js';
import { withAnswers } from './answers.js';

const CLAIM = { type: 'mail', id: 'a', lock: 'l', data: 1, claim: 1, attempt: 1, headers: {}, timeout: 'PT30S' };

test('there is one line of an outage, and one of its end', async () => {
  const lines: string[] = [];
  let requests = 0;
  let address = '';
  await withAnswers(
    (request, response) => {
      if (++requests <= 4) {
        request.socket.destroy();
      } else {
        response.writeHead(200).end('{"order": "drain", "claims": []}');
      }
    },
    async (url) => {
      address = url.replace(/\/$/, '');
      await new Worker(url, { warn: (...line) => lines.push(line.join(' ')) }).handle('mail', () => 1).run();
    },
  );
  assert.deepEqual(lines, [
    `The server ${address} is away: the connection was closed. Trying again.`,
    `The server ${address} answers again.`,
  ]);
});

test('the cause of an outage is plain', async () => {
  let address = '';
  await withAnswers(
    () => undefined,
    async (url) => void (address = url.replace(/\/$/, '')),
  );
  const lines: string[] = [];
  const worker = new Worker(address, {
    warn: (...line) => {
      lines.push(line.join(' '));
      worker.stop();
    },
  }).handle('mail', () => 1);
  await worker.run();
  assert.deepEqual(lines, [`The server ${address} is away: connection refused. Trying again.`]);
});

test('a worker ends soon while the server is away', { timeout: 10_000 }, async () => {
  const lines: string[] = [];
  const halts: unknown[] = [];
  let requests = 0;
  await withAnswers(
    (request, response) => {
      if (++requests === 1) {
        response.writeHead(200).end(JSON.stringify({ order: 'run', claims: [CLAIM] }));
      } else {
        request.socket.destroy();
      }
    },
    async (url) => {
      const worker = new Worker(url, {
        concurrency: 1,
        grace: 60_000,
        warn: (...line) => {
          lines.push(line.join(' '));
          worker.stop();
        },
      }).handle('mail', async (job) => {
        job.signal.addEventListener('abort', () => halts.push(job.halt));
        await job.log('never arrives');
      });
      await worker.run();
    },
  );
  assert.deepEqual(halts, ['shutdown']);
  assert.equal(lines.at(-1), 'The worker ends and leaves claims, which expire: 1.');
  assert.equal(lines.length, 2);
});

test('what warn throws changes no result', { timeout: 10_000 }, async () => {
  const verbs: string[] = [];
  await withAnswers(
    (request, response) => {
      verbs.push(request.url!.split('/').at(-1)!);
      if (verbs.length > 1) {
        worker.stop();
      }
      const claims = verbs.length === 1 ? [CLAIM] : [];
      response.writeHead(200).end(JSON.stringify({ order: 'run', claims }));
    },
    async (url) => {
      const warn = (): never => {
        throw new Error('broken');
      };
      worker = new Worker(url, { concurrency: 1, warn }).handle('mail', warn);
      await worker.run();
    },
  );
  assert.deepEqual(verbs, ['claims', 'fail', 'end']);
});

test('a job that has ended is not ended again', { timeout: 10_000 }, async () => {
  const verbs: string[] = [];
  const refusals: unknown[] = [];
  await withAnswers(
    (request, response) => {
      verbs.push(request.url!.split('/').at(-1)!);
      const claims = verbs.length === 1 ? [CLAIM] : [];
      response.writeHead(200).end(JSON.stringify({ order: verbs.length === 1 ? 'drain' : 'run', claims }));
    },
    async (url) => {
      const again: Array<(job: Job) => Promise<void>> = [
        (job) => job.finish(2),
        (job) => job.snooze(1),
        (job) => job.cancel('no'),
        (job) => job.update({ log: [1] }),
      ];
      worker = new Worker(url, { concurrency: 1 }).handle('mail', async (job) => {
        await job.finish(1);
        for (const verb of again) {
          await verb(job).catch((error: unknown) => refusals.push(error instanceof LeaseLost && error.halt));
        }
        return 3;
      });
      await worker.run();
    },
  );
  assert.deepEqual(refusals, ['ended', 'ended', 'ended', 'ended']);
  assert.deepEqual(verbs, ['claims', 'finish', 'end']);
});

test('a payload that is no JSON is bytes', { timeout: 10_000 }, async () => {
  const payloads: unknown[] = [];
  let calls = 0;
  const { data, ...rest } = CLAIM;
  await withAnswers(
    (_, response) => {
      calls++;
      if (calls > 1) {
        worker.stop();
      }
      const claims = calls === 1 ? [{ ...rest, dataBytes: 'AP/ACg==', dataMediaType: 'image/png' }] : [];
      response.writeHead(200).end(JSON.stringify({ order: 'run', claims }));
    },
    async (url) => {
      worker = new Worker(url, { concurrency: 1 }).handle('mail', (job) => {
        payloads.push(job.data, job.dataText, job.mediaType);
      });
      await worker.run();
    },
  );
  assert.equal(data, 1);
  assert.deepEqual(payloads, [new Uint8Array([0, 255, 192, 10]), '', 'image/png']);
});

let worker: Worker;

test('a refused worker ends', async () => {
  await withAnswers(
    (_, response) => response.writeHead(401).end('{"detail": "Send a token."}'),
    (url) => assert.rejects(new Worker(url).handle('mail', () => 1).run(), ApiError),
  );
});
