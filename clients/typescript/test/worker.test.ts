import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
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

for (const isAsync of [false, true]) {
test(`what warn throws changes no result: ${isAsync ? 'later' : 'at once'}`, { timeout: 10_000 }, async () => {
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
      const warn = (): Promise<never> => {
        if (isAsync) {
          return Promise.reject(new Error('broken'));
        }
        throw new Error('broken');
      };
      worker = new Worker(url, { concurrency: 1, warn }).handle('mail', () => {
        throw new Error('told');
      });
      await worker.run();
    },
  );
  assert.deepEqual(verbs, ['claims', 'fail', 'end']);
});
}

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

const VERBS: Array<(job: Job) => Promise<void>> = [
  (job) => job.finish(1),
  (job) => job.finish({ other: 1 }),
  (job) => job.snooze(1),
  (job) => job.cancel('no'),
];

for (const first of VERBS.keys()) {
  for (const second of VERBS.keys()) {
    test(`of two ends at once the first holds, and the other one throws: ${first}, ${second}`, async () => {
      const verbs: string[] = [];
      const results: unknown[] = [];
      await withAnswers(
        (request, response) => {
          verbs.push(request.url!.split('/').at(-1)!);
          const claims = verbs.length === 1 ? [CLAIM] : [];
          response.writeHead(200).end(JSON.stringify({ order: 'drain', claims }));
        },
        async (url) => {
          await new Worker(url, { warn: () => {} })
            .handle('mail', async (job) => {
              const both = await Promise.allSettled([VERBS[first]!(job), VERBS[second]!(job)]);
              results.push(...both.map((end) => end.status));
              const refused = both[1] as PromiseRejectedResult;
              results.push(refused.reason instanceof LeaseLost && refused.reason.halt);
            })
            .run();
        },
      );
      assert.deepEqual(results, ['fulfilled', 'rejected', 'ended']);
      assert.equal(verbs.length, 3);
    });
  }
}

test('an end that is refused leaves the job to the next one', async () => {
  const bodies: string[] = [];
  await withAnswers(
    async (request, response) => {
      const body = (await request.toArray()).join('');
      if (request.url!.endsWith('/finish')) {
        bodies.push(body);
      }
      const claims = request.url!.endsWith('/claims') && bodies.length === 0 ? [CLAIM] : [];
      response.writeHead(200).end(JSON.stringify({ order: 'drain', claims }));
    },
    async (url) => {
      await new Worker(url)
        .handle('mail', (job) => Promise.any([job.finish(1n), job.finish('good')]))
        .run();
    },
  );
  assert.deepEqual(bodies, ['{"lock":"l","result":"good"}']);
});

const OTHERS = [
  `Promise.reject(new Error('of the program'))`,
  `setImmediate(() => { throw new Error('of the program'); })`,
];

for (const code of OTHERS) {
  test(`what no handler has left behind ends the program as Node says: ${code}`, async () => {
    await withAnswers(
      () => undefined, // no claim comes
      async (url) => {
        const index = new URL('../src/index.js', import.meta.url).href;
        const program = `import { Worker } from '${index}';
          new Worker('${url}').handle('mail', () => 1).run();
          ${code}`;
        const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'pipe' });
        const [output, [status]] = await Promise.all([child.stderr.toArray(), once(child, 'exit')]);
        assert.match(output.join(''), /Error: of the program/);
        assert.equal(status, 1);
      },
    );
  });
}

let worker: Worker;

test('a refused worker ends', async () => {
  await withAnswers(
    (_, response) => response.writeHead(401).end('{"detail": "Send a token."}'),
    (url) => assert.rejects(new Worker(url).handle('mail', () => 1).run(), ApiError),
  );
});
