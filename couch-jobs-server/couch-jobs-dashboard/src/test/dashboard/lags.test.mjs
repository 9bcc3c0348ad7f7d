import assert from 'node:assert/strict';
import test from 'node:test';
import { LagSamples } from '../../main/dashboard/lags.mjs';

test('lags are kept for ten minutes, and a group that comes later has none before', () => {
  const samples = new LagSamples();
  samples.add(1_000, [{ name: 'a', lag: 5 }]);
  samples.add(500_000, [
    { name: 'a', lag: 3 },
    { name: 'b', lag: 9 },
  ]);
  assert.deepEqual(samples.columns(['a', 'b']), [
    [1, 500],
    [5, 3],
    [null, 9],
  ]);
  samples.add(601_000, []);
  assert.deepEqual(samples.columns(['a']), [
    [500, 601],
    [3, null],
  ]);
});
