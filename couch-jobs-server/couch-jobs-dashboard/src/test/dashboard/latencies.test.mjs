import assert from 'node:assert/strict';
import test from 'node:test';
import { Latencies, percentile } from '../../main/dashboard/latencies.mjs';

const START = Date.parse('2027-01-31T08:00:00Z');

function sample(number, second, time, kind = 'wait', type = 'a') {
  return { number, at: new Date(START + second * 1000).toISOString(), type, kind, time };
}

test('percentiles are values that were sampled', () => {
  const hundred = Array.from({ length: 100 }, (unused, i) => i + 1);
  assert.equal(percentile(hundred, 0.5), 50);
  assert.equal(percentile(hundred, 0.95), 95);
  assert.equal(percentile([7], 0.5), 7);
  assert.equal(percentile([], 0.95), null);
});

test('each bin has its own percentiles, and those without samples have none', () => {
  const latencies = new Latencies();
  latencies.add({
    last: 4,
    items: [sample(1, 1, 'PT0.1S'), sample(2, 2, 'PT3S'), sample(3, 2, 'PT0.2S'), sample(4, 25, 'PT1M')],
  });
  assert.deepEqual(latencies.columns(null, 'wait', START + 27_000), {
    seconds: [5, 15, 25].map((second) => START / 1000 + second),
    median: [200, null, 60_000],
    high: [3000, null, 60_000],
  });
});

test('types and kinds are told apart', () => {
  const latencies = new Latencies();
  const items = [sample(1, 1, 'PT1S'), sample(2, 1, 'PT2S', 'run'), sample(3, 1, 'PT3S', 'wait', 'b')];
  latencies.add({ last: 3, items });
  assert.deepEqual(latencies.latest('a', 'wait', START + 5000), { count: 1, median: 1000, high: 1000 });
  assert.deepEqual(latencies.latest(null, 'wait', START + 5000), { count: 2, median: 1000, high: 3000 });
  assert.deepEqual(latencies.latest('a', 'run', START + 5000), { count: 1, median: 2000, high: 2000 });
  assert.deepEqual(latencies.latest('a', 'run', START + 99_000), { count: 0, median: null, high: null });
});

test('a sample is taken once, and a server that has begun anew is followed', () => {
  const latencies = new Latencies();
  latencies.add({ last: 2, items: [sample(1, 1, 'PT1S'), sample(2, 1, 'PT1S')] });
  latencies.add({ last: 3, items: [sample(2, 1, 'PT1S'), sample(3, 1, 'PT1S')] });
  assert.equal(latencies.list.length, 3);
  latencies.add({ last: 1, items: [sample(1, 9, 'PT1S')] });
  assert.equal(latencies.list.length, 4);
});

test('old samples are dropped', () => {
  const latencies = new Latencies(3);
  latencies.add({ last: 5, items: [1, 2, 3, 4, 5].map((number) => sample(number, number, `PT${number}S`)) });
  assert.deepEqual(latencies.list.map((one) => one.millis), [3000, 4000, 5000]);
});
