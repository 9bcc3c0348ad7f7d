import assert from 'node:assert/strict';
import test from 'node:test';
import { ACTIONS, changeEach, conditionOf, valuesOf, withDueAfter } from '../../main/dashboard/selections.mjs';

test('a change of all honours the filter, or is not offered', () => {
  assert.deepEqual(conditionOf({}), {});
  assert.deepEqual(conditionOf({ state: 'pending' }), { state: 'pending' });
  assert.deepEqual(conditionOf({ tag: 'a', order: 'newest', after: 'x' }), { tag: 'a' });
  assert.deepEqual(conditionOf({ status: 'failed' }), { outcome: 'failed' });
  assert.deepEqual(conditionOf({ status: 'running' }), { state: 'running' });
  for (const status of ['waiting', 'scheduled', 'blocked', 'limited', 'retrying', 'paused']) {
    assert.equal(conditionOf({ status }), null);
  }
});

test('a change of all may be narrowed to jobs that are due after a time', () => {
  assert.deepEqual(withDueAfter({ tag: 'a' }, ''), { tag: 'a' });
  assert.deepEqual(withDueAfter({ tag: 'a' }, undefined), { tag: 'a' });
  assert.deepEqual(withDueAfter({}, '2040-01-31T09:00:00+01:00'), { dueAfter: '2040-01-31T08:00:00.000Z' });
});

globalThis.sessionStorage = { getItem: () => null };
globalThis.document = { baseURI: 'https://example.org/' };

test('each job is changed by a request of its own, and those that fail do not prevent the others', async () => {
  const asked = [];
  globalThis.fetch = async (url, { method, body }) => {
    asked.push(`${method} ${new URL(url).pathname} ${body ?? ''}`);
    return url.href.includes('bad')
      ? new Response('{"title":"No.","detail":"It is bad."}', { status: 500 })
      : new Response(`{"changed":${!url.href.includes('late')}}`);
  };
  const told = [];
  const changed = await changeEach('m/l', ['a', 'late'], 'cancel', { reason: 'x' }, (done) => told.push(done));
  assert.equal(changed, 1);
  assert.deepEqual(told, [1, 2]);
  assert.deepEqual(asked, [
    'POST /v1/types/m%2Fl/jobs/a/cancel {"reason":"x"}',
    'POST /v1/types/m%2Fl/jobs/late/cancel {"reason":"x"}',
  ]);
  assert.equal(await changeEach('mail', ['a', 'b', 'c'], 'run_now', {}, () => {}), 3);
  await assert.rejects(changeEach('mail', ['bad', 'b', 'c'], 'remove', {}, () => {}), {
    title: 'No.', detail: 'It is bad. 2 of 3 jobs have changed.',
  });
  assert.equal(asked.at(-1), 'DELETE /v1/types/mail/jobs/c ');
});

test('the values of the fields are what the API takes', () => {
  assert.deepEqual(valuesOf({}), {});
  assert.deepEqual(valuesOf({ reason: '' }), {});
  assert.deepEqual(valuesOf({ reason: 'x' }), { reason: 'x' });
  assert.deepEqual(valuesOf({ priority: '0' }), { priority: 0 });
  assert.deepEqual(valuesOf({ at: '2040-01-31T08:00:00Z' }), { at: '2040-01-31T08:00:00.000Z' });
  for (const { verb, done, request } of Object.values(ACTIONS)) {
    assert.ok(verb && done && request('t', 'i').length === 2);
  }
});
