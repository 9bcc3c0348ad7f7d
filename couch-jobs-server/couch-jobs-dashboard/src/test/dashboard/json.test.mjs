import assert from 'node:assert/strict';
import test from 'node:test';
import { elements, member, pretty, prettyText } from '../../main/dashboard/json.mjs';

test('every digit of a number stays', () => {
  const text = '{"id":12345678901234567890,"x":1.00000000000000000001e-400,"y":-0.10}';
  assert.equal(prettyText(text), '{\n  "id": 12345678901234567890,\n  "x": 1.00000000000000000001e-400,\n  "y": -0.10\n}');
  assert.equal(member(text, 'id'), '12345678901234567890');
});

test('what is nested is indented, and what is empty is not broken', () => {
  assert.equal(
    prettyText('{"a":[1,{"b":[]},{}],"c":{"d":null}}'),
    '{\n  "a": [\n    1,\n    {\n      "b": []\n    },\n    {}\n  ],\n  "c": {\n    "d": null\n  }\n}',
  );
});

test('scalars are JSON, too', () => {
  for (const text of ['1', '"a"', 'true', 'null', '[]', '{}']) {
    assert.equal(prettyText(text), text);
  }
});

test('marks within strings mean nothing', () => {
  const text = String.raw`{"a,\"}]{":"\\","b":"[1,2"}`;
  assert.equal(member(text, 'b'), '"[1,2"');
  assert.equal(member(text, 'a,"}]{'), String.raw`"\\"`);
  assert.deepEqual(JSON.parse(prettyText(text)), JSON.parse(text));
});

test('a member is found at the top only', () => {
  const text = '{"data":{"result":1,"data":2},"tags":["result"],"result":[3, {"result":4}]}';
  assert.equal(member(text, 'data'), '{"result":1,"data":2}');
  assert.equal(member(text, 'result'), '[3, {"result":4}]');
  assert.equal(member(text, 'error'), undefined);
  assert.equal(member('{"data":7}', 'data'), '7');
});

test('names may be escaped', () => {
  assert.equal(member(String.raw`{"d\u0061ta":1}`, 'data'), '1');
});

test('elements are slices of the text', () => {
  assert.deepEqual(elements('[1, {"a":[2,3]},"x,y",[ ]]'), ['1', '{"a":[2,3]}', '"x,y"', '[ ]']);
  assert.deepEqual(elements('[]'), []);
});

test('pieces have kinds', () => {
  const kinds = pretty('{"a":["b",1,true,null]}').filter(([kind]) => kind !== 'blank' && kind !== 'mark');
  assert.deepEqual(kinds, [
    ['key', '"a"'],
    ['string', '"b"'],
    ['number', '1'],
    ['literal', 'true'],
    ['literal', 'null'],
  ]);
});

test('a text of megabytes and a deep one are read', () => {
  const long = JSON.stringify({ text: 'x\\"'.repeat(1_000_000), n: 1 });
  assert.equal(member(long, 'n'), '1');
  const deep = '['.repeat(10_000) + ']'.repeat(10_000);
  assert.equal(prettyText(deep).replace(/\s/g, ''), deep);
});
