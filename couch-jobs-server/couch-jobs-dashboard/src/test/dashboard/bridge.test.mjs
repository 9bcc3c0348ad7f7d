import assert from 'node:assert/strict';
import test from 'node:test';
import { changes, fields } from '../../main/dashboard/bridge.mjs';

const NODE = {
  name: 'reg_a',
  settings: { workers: 4, heartbeat: 'PT10S', claimTimeout: 'PT5M', concurrency: { email: 1 } },
  wanted: { workers: 4, memoryLimit: 67108864, concurrency: {} },
};

/** What a form has if nobody types. */
function untouched() {
  return Object.fromEntries(fields(NODE).map(({ name, value }) => [name, String(value)]));
}

test('a form shows what is wanted, and says what holds', () => {
  const byName = Object.fromEntries(fields(NODE).map((field) => [field.name, field]));
  assert.equal(byName.workers.value, 4);
  assert.equal(byName.memoryLimit.value, 64);
  assert.equal(byName.heartbeat.value, '');
  assert.match(byName.heartbeat.hint, /At present PT10S\.$/);
  assert.match(byName['kind email'].hint, /At present 1\.$/);
});

test('what nobody touches is not sent', () => {
  assert.deepEqual(changes(NODE, untouched()), {});
});

test('what is typed is sent, and what is emptied becomes that of the file', () => {
  const values = { ...untouched(), workers: '', heartbeat: ' PT20S ', memoryLimit: '128', 'kind email': '3' };
  assert.deepEqual(changes(NODE, values), {
    workers: null,
    heartbeat: 'PT20S',
    memoryLimit: 134217728,
    concurrency: { email: 3 },
  });
});
