import assert from 'node:assert/strict';
import test from 'node:test';
import { ApiError, ExactNumber, NotJson } from '../src/index.js';
import { decode, encode } from '../src/json.js';

const HELD = ['0', '-0', '1', '-1.5', '0.1', '1e2', '1E+2', '100.0', '0.30000000000000004', '5e-324', '-1e-7', '0e400'];
HELD.push('9007199254740992', '1.7976931348623157e308', '0.10', '100000000000000000000', '1e21', '0.0000001');
const EXACT = ['9007199254740993', '12345678901234567890123', '1'.repeat(1000), '-9007199254740993', '1e400', '-1E400'];
EXACT.push('0.12345678901234567890', '1e-400', '0.1000000000000000055', '3.14159265358979323846');
EXACT.push('9007199254740993.0', '1e99999999999999999999', '123456789.123456789123');

test('numbers come back as they were', () => {
  for (const text of [...HELD, ...EXACT]) {
    const job = decode(`{"data": {"n": [${text}]}}`) as { data: { n: [unknown] } };
    const back = encode({ result: job.data });
    if (EXACT.includes(text)) {
      assert.equal(back, `{"result":{"n":[${text}]}}`);
      assert.ok(job.data.n[0] instanceof ExactNumber);
    } else {
      assert.equal(typeof job.data.n[0], 'number', text);
      assert.deepEqual(JSON.parse(back), JSON.parse(`{"result":{"n":[${text}]}}`));
    }
  }
});

test('payloads of bytes are sent in Base64', () => {
  const data = new Uint8Array([0, 255, 192, 10]);
  const job = { type: 'scan', data, dataMediaType: 'image/png' };
  const text = encode({ result: Buffer.from([1]), jobs: [job, { type: 'scan', data: 1 }, null] });
  assert.deepEqual(JSON.parse(text), {
    resultBytes: 'AQ==',
    jobs: [{ type: 'scan', dataMediaType: 'image/png', dataBytes: 'AP/ACg==' }, { type: 'scan', data: 1 }, null],
  });
  assert.equal(job.data, data);
});

test('an exact number computes, and shows all its digits', () => {
  const number = decode('9007199254740993') as any;
  assert.equal(number * 2, 18014398509481984);
  assert.equal(`${number}`, '9007199254740993');
  assert.equal(number.text, '9007199254740993');
  assert.equal(number.toString(16), '20000000000000');
  for (const text of ['', 'NaN', '1_0', ' 1', '1,2', '1"', '01']) {
    assert.throws(() => new ExactNumber(text), TypeError);
  }
});

test('a payload has its text', () => {
  const payload = ' [ {"data" : "\\u00e9\\" ]"} , {"": [1.0, 1e0, "\\\\"]} ,{}, [ ] ]';
  const reply = `{ "claims" : [ { "id":"a", "data":${payload},"headers": {"data": 1e0} } , {"data" :${payload}}] }`;
  const { claims } = decode(reply) as { claims: Array<{ id: string; data: unknown; dataText: string }> };
  assert.deepEqual(
    claims.map((claim) => claim.dataText),
    [payload.trim(), payload.trim()],
  );
  assert.deepEqual(claims[1]!.data, JSON.parse(payload));
  assert.equal(claims[0]!.id, 'a');
  assert.deepEqual(decode('{"items": [{"value": 1.0}]}'), { items: [{ value: 1, valueText: '1.0' }] });
});

test('a payload is known by its place and not by its name', () => {
  const names = ['data', 'result', 'checkpoint', 'value', 'dataText', 'items', 'claims', 'job', 'headers'];
  const inner = Object.fromEntries(names.map((name) => [name, [1, { [name]: 'x' }]]));
  const named = Object.fromEntries(names.map((name) => [name, inner]));
  const members = { headers: named, tags: [named], counts: named, progress: named, closing: named };
  const of = (some: string[]) => Object.fromEntries(some.map((name) => [name, named]));
  const textsOf = (some: string[]) => Object.fromEntries(some.map((name) => [`${name}Text`, JSON.stringify(named)]));
  const job = ['data', 'result', 'value'];
  const whole = { ...members, ...of(job) };
  assert.deepEqual(decode(JSON.stringify(whole)), { ...whole, ...textsOf(job) });
  const payloadsOf = { items: ['value'], claims: ['data', 'checkpoint'] };
  for (const [place, payloads] of Object.entries(payloadsOf)) {
    const item = { ...members, ...of(['data', 'result', 'checkpoint', 'value']) };
    const reply = { [place]: [item, {}], next: 'x', headers: named };
    assert.deepEqual(decode(JSON.stringify(reply)), { ...reply, [place]: [{ ...item, ...textsOf(payloads) }, {}] });
  }
});

test('replies are read as JSON reads them', () => {
  const good = ['{}', '[]', ' [ ] ', '{"a": [{"b": {}}, [], 1, "x", true, null]}', '"x"', '7', '{"__proto__": 1}'];
  for (const text of good) {
    assert.deepEqual(decode(text), JSON.parse(text));
  }
  for (const text of ['', '{', '[', '{]', '[1', '[1,]', '[1 2]', '{"a"}', '{"a":}', '{"a":1,}', '{1:2}', '1 2', '[,1]']) {
    assert.throws(() => decode(text), SyntaxError, text);
  }
  for (const payload of ['', '[1', '[1,]', '1.', '01', '1e', '"', '[}', '99999999999999999999.', '099999999999999999999']) {
    assert.throws(() => decode(`{"data":${payload}}`), SyntaxError, payload);
  }
});

test('a text is never taken for a number', () => {
  const value = { text: '"1.0"', number: new ExactNumber('1.00000000000000000001') };
  assert.equal(encode(value), '{"text":"\\"1.0\\"","number":1.00000000000000000001}');
  const circle: unknown[] = [value.number];
  circle.push(circle);
  assert.throws(() => encode(circle), NotJson);
});

class Empty {}

class Point {
  constructor(
    readonly x: number,
    readonly y: number,
  ) {}
}

function thrower(thrown: unknown): () => never {
  return () => {
    throw thrown;
  };
}

function proxy(trap: string, thrown: unknown): unknown {
  return new Proxy([1], { [trap]: thrower(thrown) });
}

/** What JSON has no value for, by what the reason names. */
const ODD: Array<[RegExp, unknown]> = [
  [/undefined/, undefined],
  [/function/, () => 1],
  [/symbol/, Symbol('s')],
  [/BigInt/, 1n],
  [/BigInt/, Object(1n)],
  [/NaN/, NaN],
  [/Infinity/, -Infinity],
  [/NaN/, Object(NaN)],
  [/Map/, new Map([[1, 2]])],
  [/Set/, new Set([1])],
  [/WeakMap/, new WeakMap()],
  [/WeakSet/, new WeakSet()],
  [/Promise/, Promise.resolve(1)],
  [/RegExp/, /a/],
  [/Error/, new Error('lost')],
  [/ApiError/, new ApiError(500, {})],
  [/ArrayBuffer/, new ArrayBuffer(1)],
  [/DataView/, new DataView(new ArrayBuffer(1))],
  [/Uint8Array/, new Uint8Array(1)],
  [/Float64Array/, new Float64Array(1)],
  [/Buffer/, Buffer.from('a')],
  [/Date/, new Date(NaN)],
  [/URLSearchParams/, new URLSearchParams('a=1')],
  [/Generator/, (function* () {})()],
  [/Symbol/, Object(Symbol('s'))],
  [/Empty/, new Empty()],
  [/symbol/, { [Symbol('s')]: 1 }],
  [/undefined/, { toJSON: () => undefined }],
  [/own/, { toJSON: thrower(new Error('own')) }],
  [/own/, { toJSON: thrower('own') }],
  [/own/, Object.defineProperty({}, 'a', { enumerable: true, get: thrower('own') })],
  ...['get', 'ownKeys', 'getOwnPropertyDescriptor', 'getPrototypeOf'].map(
    (trap) => [/own|values/, new Proxy({ a: 1 }, { [trap]: thrower('own') })] as [RegExp, unknown],
  ),
  [/own/, proxy('get', 'own')],
  [/values/, new Proxy([], { get: (_, name) => (name === 'length' ? 2 ** 24 : 0) })],
];

test('what JSON does not have is refused wherever it stands, with the reason', () => {
  for (const [reason, value] of ODD) {
    const members = [{ a: value }, { a: [{ b: value }] }]; // one without a value is none
    const places: unknown[] = [[value], [1, value], ...(value === undefined ? [] : members)];
    for (const place of places) {
      assert.throws(
        () => encode({ result: place }, 100_000),
        (error: Error) => error instanceof NotJson && reason.test(error.message),
        String(reason),
      );
    }
  }
  for (const sparse of [[, 1], [1, , 2], new Array(2 ** 32 - 1)]) {
    assert.throws(() => encode({ result: sparse }), NotJson);
  }
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  assert.throws(() => encode({ result: circle }), NotJson);
});

test('what JSON has comes back', () => {
  const at = new Date(0);
  const bare = Object.assign(Object.create(null), { a: 1 });
  const same: Array<[unknown, unknown]> = [
    [{}, {}],
    [Object.create(null), {}],
    [bare, { a: 1 }],
    [new Point(1, -0), { x: 1, y: -0 }],
    [at, at.toISOString()],
    [{ a: undefined, b: 1 }, { b: 1 }],
    [Object('s'), 's'],
    [Object(7), 7],
    [Object(true), true],
    [{ toJSON: () => null }, null],
    [{ toJSON: () => [1] }, [1]],
    ['\ud800', '\ud800'],
    [JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": 1}')],
  ];
  for (const [value, expected] of same) {
    assert.deepEqual(JSON.parse(encode({ result: [value] })), { result: [expected] });
  }
});

test('a payload of megabytes is read', () => {
  const text = 'x\\"'.repeat(1_000_000);
  const job = decode(`{"data": ["${text}", 12345678901234567890]}`) as { data: [string, ExactNumber] };
  assert.equal(job.data[0].length, 2_000_000);
  assert.equal(job.data[1].text, '12345678901234567890');
});
