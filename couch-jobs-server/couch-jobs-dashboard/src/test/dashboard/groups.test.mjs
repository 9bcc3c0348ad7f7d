import assert from 'node:assert/strict';
import test from 'node:test';
import { byError, errorKey } from '../../main/dashboard/groups.mjs';

test('numbers, ids and packages make no difference', () => {
  const same = [
    'java.io.IOException: no answer from 10.0.0.1:80 after 1500 ms\n\tat a.B.c(B.java:7)',
    'java.io.IOException: no answer from 10.0.0.22:8080 after 3,000 ms\n\tat x.Y.z(Y.java:9)',
  ].map(errorKey);
  assert.equal(same[0], same[1]);
  assert.equal(same[0], 'IOException: no answer from #:# after # ms');
  assert.equal(errorKey('no user 5f0c9a3e-0b1d-4a7e-9c55-0f6f9c1c2b3d'), 'no user #');
  assert.equal(errorKey('at 0xdeadBEEF, key 0123456789abcdef'), 'at #, key #');
  assert.equal(errorKey('decade facade'), 'decade facade');
  assert.ok(errorKey('x'.repeat(10_000)).length <= 200);
});

test('the largest group comes first, with its types and its last job', () => {
  const letter = (type, id, error, failedAt) => ({ type, id, error, failedAt });
  const groups = byError([
    letter('mail', 'a', 'E: 1', '2027-01-01T00:00:00Z'),
    letter('mail', 'b', 'F', '2027-01-01T00:00:00Z'),
    letter('report', 'c', 'E: 2', '2027-01-02T00:00:00Z'),
    letter('mail', 'd', 'E: 3', '2027-01-01T12:00:00Z'),
  ]);
  assert.deepEqual(groups.map(({ key, count }) => [key, count]), [['E: #', 3], ['F', 1]]);
  assert.deepEqual([...groups[0].types], [['mail', 2], ['report', 1]]);
  assert.equal(groups[0].last.id, 'c');
});
