import assert from 'node:assert/strict';
import test from 'node:test';
import { Samples, sum } from '../../main/dashboard/samples.mjs';

function counts(pending, running, succeeded, failed = 0) {
  return {
    pending, blocked: 0, running, succeeded, failed, cancelled: 0, expired: 0, total: pending + running + succeeded + failed,
  };
}

test('counts of types are added', () => {
  assert.deepEqual(sum([counts(1, 2, 3), counts(10, 20, 30, 40)]), counts(11, 22, 33, 40));
  assert.deepEqual(sum([]), counts(0, 0, 0));
});

test('the speed is what ended between two samples', () => {
  const samples = new Samples();
  samples.add(0, new Map(Object.entries({ a: counts(9, 1, 0), b: counts(0, 0, 5) })));
  assert.equal(samples.speed(), null);
  samples.add(2000, new Map(Object.entries({ a: counts(5, 1, 3, 1), b: counts(0, 0, 5) })));
  assert.deepEqual(samples.columns(), {
    seconds: [0, 2], pending: [9, 5], running: [1, 1], perSecond: [null, 2],
  });
  assert.equal(samples.speed('b'), 0);
  assert.equal(samples.speed('a'), 2);
});

test('a removal is no negative speed', () => {
  const samples = new Samples();
  samples.add(0, new Map(Object.entries({ a: counts(0, 0, 500) })));
  samples.add(1000, new Map(Object.entries({ a: counts(0, 0, 10) })));
  assert.equal(samples.speed(), 0);
});

test('nothing is drawn where nothing was sampled', () => {
  const samples = new Samples(600, 5000);
  samples.add(0, new Map(Object.entries({ a: counts(1, 0, 0) })));
  samples.add(10_000, new Map(Object.entries({ a: counts(2, 0, 100) })));
  assert.deepEqual(samples.columns().pending, [1, null, 2]);
  assert.deepEqual(samples.columns().perSecond, [null, null, null]);
});

test('a type that appears later has no values before', () => {
  const samples = new Samples();
  samples.add(0, new Map());
  samples.add(1000, new Map(Object.entries({ a: counts(1, 0, 1) })));
  samples.add(2000, new Map(Object.entries({ a: counts(1, 0, 2) })));
  assert.deepEqual(samples.columns('a').pending, [null, 1, 1]);
  assert.deepEqual(samples.columns('a').perSecond, [null, null, 1]);
});

test('old samples are dropped', () => {
  const samples = new Samples(3);
  for (let i = 0; i < 10; i++) {
    samples.add(i * 1000, new Map(Object.entries({ a: counts(i, 0, 0) })));
  }
  assert.deepEqual(samples.columns().pending, [7, 8, 9]);
});

test('samples of many types are fewer', () => {
  const samples = new Samples(600, 5000, 100);
  for (let i = 0; i < 10; i++) {
    samples.add(i * 1000, new Map(Array.from({ length: 25 }, (unused, type) => [type, counts(1, 0, i)])));
  }
  assert.deepEqual(samples.columns().pending, [25, 25, 25, 25]);
  assert.equal(samples.speed(), 25);
});
