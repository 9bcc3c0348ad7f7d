import assert from 'node:assert/strict';
import test from 'node:test';
import { conditionOf } from '../../main/dashboard/selections.mjs';

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
