import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import test from 'node:test';
import { fromMillis, toMillis } from '../src/duration.js';
import { ApiError, Client, ConnectionLost, NotJson } from '../src/index.js';
import { withAnswers } from './answers.js';

test('a request is repeated with its key until there is a reply', async () => {
  const requests: IncomingMessage[] = [];
  await withAnswers(
    (request, response) => {
      requests.push(request);
      if (requests.length === 1) {
        request.socket.destroy();
      } else if (requests.length === 2) {
        response.writeHead(503, { 'retry-after': '0' }).end('no JSON');
      } else {
        response.writeHead(201).end('{"id":"a"}');
      }
    },
    async (url) => assert.equal(await new Client(url, { token: 't' }).add('mail', { data: 1 }), 'a'),
  );
  assert.equal(requests.length, 3);
  assert.equal(new Set(requests.map((request) => request.headers['idempotency-key'])).size, 1);
  assert.ok(requests[0]!.headers['idempotency-key']);
  assert.equal(requests[2]!.headers.authorization, 'Bearer t');
  assert.equal(requests[2]!.url, '/v1/types/mail/jobs');
});

test('a refusal is not repeated', async () => {
  let requests = 0;
  await withAnswers(
    (_, response) => {
      requests++;
      response.writeHead(404).end('{"type": "urn:couch-jobs:problem:not-found", "detail": "no such job"}');
    },
    async (url) => {
      await assert.rejects(new Client(url).get('mail', 'a/b'), (error: unknown) => {
        assert.ok(error instanceof ApiError);
        assert.equal(error.code, 'not-found');
        assert.match(error.message, /no such job/);
        return true;
      });
    },
  );
  assert.equal(requests, 1);
});

// fetch holds its signal weakly: a collected one looks like a fetch that does not look at it.
test('a request ends in its time, though fetch forgets its signal', async (t) => {
  t.mock.method(globalThis, 'fetch', () => new Promise(() => {}));
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const adding = new Client('http://127.0.0.1:1', { giveUpAfter: 0, warn: () => {} }).add('mail', { data: 1 });
  t.mock.timers.tick(30_000);
  await assert.rejects(adding, (error: unknown) => error instanceof ConnectionLost && /in time/.test(error.message));
});

test('a stream whose server is silent is opened again, though fetch forgets its signal', async (t) => {
  const opened = new Promise<void>((resolve) => {
    let streams = 0;
    t.mock.method(globalThis, 'fetch', () => {
      streams++;
      if (streams === 2) {
        resolve();
      }
      return new Promise(() => {});
    });
  });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const messages = new Client('http://127.0.0.1:1', { warn: () => {} }).topic('news').follow({ start: 'latest' });
  void messages.next();
  t.mock.timers.tick(60_000);
  await opened;
});

test('a stream goes on behind the last event', async () => {
  const requests: IncomingMessage[] = [];
  const values: unknown[] = [];
  await withAnswers(
    (request, response) => {
      requests.push(request);
      if (requests.length === 1) {
        response.write(':\n\nid: a\ndata: 1\n\nid: b\nda', () => request.socket.end());
      } else if (requests.length === 2) {
        response.writeHead(503).end('{}');
      } else if (requests.length === 3) {
        response.end('id: b\ndata: 22\n\n');
      } else {
        response.writeHead(404).end('{}');
      }
    },
    async (url) => {
      await assert.rejects(async () => {
        for await (const message of new Client(url, { warn: () => {} }).topic('news').follow({ start: 'latest' })) {
          values.push(message);
        }
      }, ApiError);
    },
  );
  assert.deepEqual(values, [1, 22]);
  assert.equal(requests[0]!.url, '/v1/topics/news/messages?from=latest');
  assert.equal(requests[0]!.headers['last-event-id'], undefined);
  assert.equal(requests[1]!.headers['last-event-id'], 'a');
  assert.equal(requests[3]!.headers['last-event-id'], 'b');
});

test('a follower reads a message of several lines', async () => {
  const values: unknown[] = [];
  let requests = 0;
  await withAnswers(
    (_, response) => {
      if (++requests === 1) {
        response.end('id: a\ndata: [\ndata: 1,\ndata: \ndata:   "x y"\ndata: ]\n\nid: b\ndata: 2\n\n');
      } else {
        response.writeHead(404).end('{}');
      }
    },
    async (url) => {
      await assert.rejects(async () => {
        for await (const message of new Client(url, { warn: () => {} }).topic('news').follow()) {
          values.push(message);
        }
      }, ApiError);
    },
  );
  assert.deepEqual(values, [[1, 'x y'], 2]);
});

test('a follower whose next messages are removed is told', async () => {
  const values: unknown[] = [];
  const lines: string[] = [];
  let requests = 0;
  await withAnswers(
    (_, response) => {
      if (++requests === 1) {
        response.writeHead(200).end('event: trimmed\ndata: {"trimmedTo":"a"}\n\nid: b\ndata: 1\n\n');
      } else {
        response.writeHead(404).end('{}');
      }
    },
    async (url) => {
      await assert.rejects(async () => {
        for await (const message of new Client(url, { warn: (line) => lines.push(line) }).topic('news').follow()) {
          values.push(message);
        }
      }, ApiError);
    },
  );
  assert.deepEqual(values, [1]);
  assert.match(lines[0]!, /removed messages before they were read: \{"trimmedTo":"a"\}$/);
});

test('what JSON does not have is not sent', async () => {
  const circle: unknown[] = [];
  circle.push(circle);
  const client = new Client('http://127.0.0.1:1');
  for (const data of [1n, circle, () => 1, Symbol('s'), NaN, [Infinity], new Map([[1, 2]]), [new Set()]]) {
    await assert.rejects(client.add('mail', { data }), NotJson);
  }
});

test('an address is checked', () => {
  const other = ['', 'localhost:7470', '127.0.0.1:7470', '//127.0.0.1', 'ftp://127.0.0.1', 'mailto:a', 'http://'];
  for (const url of [...other, 'http://jo:secret@127.0.0.1', 'http://127.0.0.1/?a=b', 'http://127.0.0.1/#a']) {
    const isSaid = ({ message }: Error): boolean => /is like http/.test(message) && !/secret/.test(message);
    assert.throws(() => new Client(url), (error: Error) => error instanceof TypeError && isSaid(error), url);
  }
  for (const url of ['http://127.0.0.1:7470', 'https://jobs.example.org/behind/a/proxy/', 'HTTP://[::1]:7470/']) {
    assert.ok(new Client(url));
  }
});

test('a token is checked', () => {
  for (const token of ['secret\n', 'sécret']) {
    assert.throws(() => new Client('http://127.0.0.1:7470', { token }), TypeError);
  }
});

test('a client gives up', async () => {
  await withAnswers(
    (request) => request.socket.destroy(),
    async (url) => {
      await assert.rejects(new Client(url, { giveUpAfter: 100 }).get('mail', 'a'), ConnectionLost);
    },
  );
});

test('durations are read and written', () => {
  assert.equal(toMillis('PT30S'), 30_000);
  assert.equal(toMillis('PT1M0.5S'), 60_500);
  assert.equal(toMillis('P1DT2H'), 93_600_000);
  assert.throws(() => toMillis('30'), RangeError);
  assert.equal(fromMillis(1_500), 'PT1.500S');
});

const NAMED: Record<string, (client: Client, name: string) => unknown> = {
  'the type of add': (client, name) => client.add(name, { data: 1 }),
  'the type of get': (client, name) => client.get(name, 'a'),
  'the id of get': (client, name) => client.get('mail', name),
  'the type of result': (client, name) => client.result(name, 'a'),
  'the id of result': (client, name) => client.result('mail', name),
  'the type of cancel': (client, name) => client.cancel(name, 'a'),
  'the id of cancel': (client, name) => client.cancel('mail', name),
  'the type of remove': (client, name) => client.remove(name, 'a'),
  'the id of remove': (client, name) => client.remove('mail', name),
  'a topic': (client, name) => client.topic(name).remove(),
  'a group': (client, name) => client.topic('t').group(name).create(),
};

for (const [what, call] of Object.entries(NAMED)) {
  test(`a name that no path reaches is refused before anything is sent: ${what}`, async () => {
    const requests: string[] = [];
    await withAnswers(
      (request, response) => {
        requests.push(request.url!);
        response.writeHead(200).end('{}');
      },
      async (url) => {
        for (const name of ['.', '..', '']) {
          await assert.rejects(async () => call(new Client(url), name), /Nothing is called/);
        }
      },
    );
    assert.deepEqual(requests, []);
  });
}
