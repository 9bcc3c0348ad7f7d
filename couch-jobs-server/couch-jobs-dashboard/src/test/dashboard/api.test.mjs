import assert from 'node:assert/strict';
import test from 'node:test';
import { find, forEach, get, onUnauthenticated, path, send, setToken } from '../../main/dashboard/api.mjs';

const kept = new Map();
globalThis.sessionStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
globalThis.document = { baseURI: 'https://example.org/ops/' };

/** Replies once, and returns what was asked for. */
function server(status, body, statusText = '') {
  const asked = {};
  globalThis.fetch = async (url, options) => {
    Object.assign(asked, { url: String(url), ...options });
    return new Response(status === 204 ? null : body, { status, statusText });
  };
  return asked;
}

test('parts of a path are encoded', () => {
  assert.equal(path`v1/types/${'a/b?'}/jobs/${'ä#'}`, 'v1/types/a%2Fb%3F/jobs/%C3%A4%23');
  assert.throws(() => path`v1/types/${'..'}`, /A browser cannot send/);
});

test('requests are relative to the place of the dashboard', async () => {
  const asked = server(200, '{"items":[]}');
  assert.deepEqual(await get('v1/types', { query: { limit: 5, after: 'a&b', tag: '' } }), { items: [] });
  assert.equal(asked.url, 'https://example.org/ops/v1/types?limit=5&after=a%26b');
});

test('a write has its body and the token', async () => {
  setToken('secret');
  const asked = server(204, '');
  assert.equal(await send('POST', 'v1/types/a/pause', { reason: 'x' }), null);
  assert.equal(asked.body, '{"reason":"x"}');
  assert.deepEqual(asked.headers, { Authorization: 'Bearer secret', 'Content-Type': 'application/json' });
});

test('a problem has its title, detail and code', async () => {
  const problem = { type: 'urn:couch-jobs:problem:forbidden', title: 'No.', status: 403, detail: 'It needs operate.' };
  server(403, JSON.stringify(problem));
  await assert.rejects(send('POST', 'x'), { status: 403, code: 'forbidden', title: 'No.', detail: 'It needs operate.' });
});

test('what is no problem of the API is told, too', async () => {
  server(502, '<html>', 'Bad Gateway');
  await assert.rejects(get('x'), { status: 502, title: 'The server replies 502 Bad Gateway.' });
  globalThis.fetch = async () => {
    throw new TypeError('failed');
  };
  await assert.rejects(get('x'), { status: 0, title: 'The server cannot be reached.' });
});

test('what is not there is null', async () => {
  server(404, '{"title":"No."}');
  assert.equal(await find('x'), null);
  server(500, '{"title":"No."}');
  await assert.rejects(find('x'), { status: 500 });
});

test('the page hears that the server wants to know who calls', async () => {
  const heard = [];
  const end = onUnauthenticated((error) => heard.push(error.title));
  server(401, '{"title":"Say who calls."}');
  await assert.rejects(get('x'));
  end();
  await assert.rejects(get('x'));
  assert.deepEqual(heard, ['Say who calls.']);
});

test('results have the order of their inputs, and few run at once', async () => {
  let running = 0;
  let most = 0;
  const results = await forEach([5, 1, 4, 2, 3], async (value) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return value * 2;
  }, 2);
  assert.deepEqual(results, [10, 2, 8, 4, 6]);
  assert.equal(most, 2);
});
