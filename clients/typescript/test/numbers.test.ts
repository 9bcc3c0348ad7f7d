import assert from 'node:assert/strict';
import test from 'node:test';
import { Client, Worker } from '../src/index.js';
import { Http } from '../src/http.js';
import { Job } from '../src/worker.js';
import { withAnswers } from './answers.js';

const CLAIM = { type: 't', id: 'i', lock: 'l', data: 1, claim: 1, attempt: 1, headers: {}, timeout: 'PT30S' };
const NO_NUMBERS: any[] = [null, '5', '', true, [], {}, 5n, Symbol('s'), () => 1, NaN, -Infinity, -1, -1e300];
const TOO_LARGE: any[] = [Infinity, 1e300];
const NOT_WHOLE: any[] = [0.5, 2 ** 53];

test('a number that no call takes is refused before anything is sent', async () => {
  let requests = 0;
  await withAnswers(
    (request) => {
      requests++;
      request.socket.destroy();
    },
    async (url) => {
      const client = new Client(url, { giveUpAfter: 0, warn: () => {} });
      const job = new Job(new Http(url, undefined, () => {}), CLAIM, 0);
      const topic = client.topic('t');
      const group = topic.group('g');
      const durations: Record<string, (n: any) => unknown> = {
        millis: (n) => job.snooze(n),
        wait: (n) => topic.read(0, { wait: n }),
      };
      const unlimited: Record<string, (n: any) => unknown> = {
        timeout: (n) => client.result('t', 'i', n),
        grace: (n) => new Worker(url, { grace: n }),
        giveUpAfter: (n) => new Worker(url, { giveUpAfter: n }),
        'giveUpAfter ': (n) => new Client(url, { giveUpAfter: n }),
      };
      const counts: Record<string, (n: any) => unknown> = {
        concurrency: (n) => new Worker(url, { concurrency: n }),
        done: (n) => job.progress(n),
        total: (n) => job.progress(1, n),
        partitions: (n) => topic.put({ partitions: n }),
        partition: (n) => topic.read(n),
        limit: (n) => topic.read(0, { limit: n }),
        'partition ': (n) => topic.follow({ partition: n }).next(),
        'limit ': (n) => group.poll({ limit: n }),
        'partition  ': (n) => group.poll({ partition: n }),
        'limit  ': (n) => group.batches(n).next(),
        'partition   ': (n) => group.seek('latest', n),
      };
      // Of options null counts as left out.
      const optional = ['grace', 'giveUpAfter', 'giveUpAfter ', 'concurrency'];
      for (const [name, call] of Object.entries({ ...durations, ...unlimited, ...counts })) {
        const bad = [...NO_NUMBERS, ...(name in unlimited ? [] : TOO_LARGE), ...(name in counts ? NOT_WHOLE : [])];
        for (const value of bad.filter((some) => some !== null || !optional.includes(name))) {
          await assert.rejects(
            async () => call(value),
            (error: Error) => error instanceof RangeError && error.message.startsWith(`${name.trim()} is a `),
            `${name} ${String(value)}`,
          );
        }
      }
    },
  );
  assert.equal(requests, 0);
});

test('an endless grace waits, and does not spin', { timeout: 10_000 }, async () => {
  let calls = 0;
  let finish = (): void => {};
  let worker: Worker | undefined;
  await withAnswers(
    (_, response) => {
      const claims = ++calls === 1 ? [CLAIM] : [];
      response.writeHead(200).end(JSON.stringify({ order: calls === 1 ? 'drain' : 'run', claims }));
    },
    async (url) => {
      const warnings: Error[] = [];
      const onWarning = (warning: Error): void => void warnings.push(warning);
      process.on('warning', onWarning);
      const begun = new Promise<void>((begin) => {
        worker = new Worker(url, { grace: Infinity }).handle('t', () => {
          begin();
          return new Promise<void>((resolve) => (finish = resolve));
        });
      });
      const run = worker!.run();
      await begun;
      for (let turn = 0; turn < 100; turn++) {
        await new Promise((resolve) => setImmediate(resolve)); // the worker waits, and Node warns of its timer
      }
      finish();
      await run;
      process.off('warning', onWarning);
      assert.deepEqual(warnings, []);
    },
  );
});
