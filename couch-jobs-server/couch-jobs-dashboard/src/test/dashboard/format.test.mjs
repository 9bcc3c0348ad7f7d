import assert from 'node:assert/strict';
import test from 'node:test';
import {
  ago, bytes, content, duration, isoDuration, isoMillis, limitRate, number, plural, rate, retention, shortNumber, splitError,
} from '../../main/dashboard/format.mjs';

test('sizes', () => {
  assert.deepEqual([0, 999, 1000, 1234, 45_600, 2_000_000, 3.2e12].map(bytes), [
    '0 B', '999 B', '1.0 kB', '1.2 kB', '46 kB', '2.0 MB', '3.2 TB',
  ]);
});

test('contents', () => {
  assert.deepEqual(content(''), { size: 0, first: '' });
  assert.deepEqual(content('AP/ACg=='), { size: 4, first: '00 ff c0 0a' });
  assert.deepEqual(content('AQID'), { size: 3, first: '01 02 03' });
  const large = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256)).toString('base64');
  assert.deepEqual(content(large), { size: 1000, first: '00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f …' });
});

test('numbers', () => {
  assert.equal(number(1234567), '1,234,567');
  assert.deepEqual([0, 99_999, 123_456, 1_234_567, 45_600_000, 2e9].map(shortNumber), [
    '0', '99,999', '123 k', '1.2 M', '46 M', '2.0 G',
  ]);
  assert.deepEqual([0, 0.034, 3.14159, 250.4].map(rate), ['0', '0.03', '3.1', '250']);
  assert.deepEqual([plural(1, 'job'), plural(2, 'job'), plural(0, 'batch')], ['1 job', '2 jobs', '0 batches']);
});

test('durations have their two largest units', () => {
  const cases = [
    [0, '0 ms'], [-5, '0 ms'], [999, '999 ms'], [1500, '1.5 s'], [9949, '9.9 s'], [9951, '10 s'], [65_000, '1 min 5 s'],
    [3_600_000, '1 h'], [3_660_000, '1 h 1 min'], [3_605_000, '1 h'], [90_000_000, '1 d 1 h'], [3 * 86_400_000, '3 d'],
  ];
  for (const [millis, text] of cases) {
    assert.equal(duration(millis), text);
  }
});

test('times are told from now', () => {
  const now = Date.parse('2027-01-31T08:00:00Z');
  assert.equal(ago('2027-01-31T07:59:59.5Z', now), 'now');
  assert.equal(ago('2027-01-31T07:59:30Z', now), '30 s ago');
  assert.equal(ago('2027-01-31T06:00:00Z', now), '2 h ago');
  assert.equal(ago('2027-02-02T08:00:01Z', now), 'in 2 d');
});

test('ISO durations', () => {
  assert.equal(isoMillis('PT1M30.5S'), 90_500);
  assert.equal(isoMillis('P2DT1H'), 49 * 3_600_000);
  assert.equal(isoDuration('PT0.25S'), '250 ms');
  assert.equal(isoDuration('soon'), 'soon');
  assert.equal(limitRate({ starts: 1000, period: 'PT60S', burst: 0 }), '1,000 starts per 1 min, in each window');
  assert.equal(limitRate({ starts: 5, period: 'PT1S', burst: 2 }), '5 starts per 1.0 s, evenly, 2 at once');
});

test('retentions', () => {
  assert.equal(retention({ ended: 'PT168H', failed: 'PT2160H', archived: false }), '7 d, failed jobs 90 d');
  assert.equal(retention({ ended: 'PT1H', archived: true }), '1 h, failed jobs until removed, archived first');
});

test('an error has a head and a stack', () => {
  assert.deepEqual(splitError('E: no\n\tat a\n\tat b'), { head: 'E: no', stack: '\tat a\n\tat b' });
  assert.deepEqual(splitError('E: no'), { head: 'E: no', stack: '' });
});
