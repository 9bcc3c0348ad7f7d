import assert from 'node:assert/strict';
import test from 'node:test';
import { bodyOf, fieldsOf } from '../../main/dashboard/newjob.mjs';

test('the data is sent as it is written', () => {
  const data = '{"tracking": 12345678901234567890123, "x": 1.0}';
  assert.equal(bodyOf({ data, id: '', priority: '', at: '' }), `{"data":${data}}`);
  assert.deepEqual(JSON.parse(bodyOf({ data: '[]', id: 'a"b', priority: '-3', at: '2040-01-31T08:00:00Z' })), {
    data: [], id: 'a"b', priority: -3, at: '2040-01-31T08:00:00.000Z',
  });
  assert.equal(JSON.parse(bodyOf({ data: '1', priority: '0' })).priority, 0);
});

test('what is not one JSON value is not sent', () => {
  for (const data of ['', '{', '1}, "id": "x"', "{'a': 1}", '1 2']) {
    assert.throws(() => bodyOf({ data }), { title: 'The data is not JSON.' }, data);
  }
});

test('the type of the list is proposed', () => {
  assert.equal(fieldsOf('mail').find((field) => field.name === 'type').value, 'mail');
});
