import { randomUUID } from 'node:crypto';
import { NotJson, textOf } from './errors.js';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Each number of so many digits comes back from a double. */
const SURE_DIGITS = 15;
/** By the name of a member: what is in it. */
interface Places extends ReadonlyMap<string, Places> {}
const NONE: Places = new Map();
const PAYLOAD: Places = new Map();
/** Of a job and a message, of a page of messages, and of claims. The name alone is no sign: a header may have it. */
const PAYLOADS: Places = new Map([
  ['data', PAYLOAD],
  ['result', PAYLOAD],
  ['value', PAYLOAD],
  ['items', new Map([['value', PAYLOAD]])],
  [
    'claims',
    new Map([
      ['data', PAYLOAD],
      ['checkpoint', PAYLOAD],
    ]),
  ],
]);
/** More than the server takes. */
const VALUES_MAX = 5_000_000;
const MAY_BE_BYTES = new Set(['data', 'result']);

/**
 * A number of a payload that a `number` does not hold, such as an integer beyond 2^53, 1e400, or one of 20 digits. It
 * computes as the nearest `number`, and the client writes it as its `text`.
 */
export class ExactNumber extends Number {
  /** The number as JSON has it. */
  readonly text: string;

  constructor(text: string) {
    if (!NUMBER.test(text)) {
      throw new TypeError(`${JSON.stringify(text)} is no number of JSON.`);
    }
    super(text);
    this.text = text;
  }

  override toString(radix = 10): string {
    return radix === 10 ? this.text : super.toString(radix);
  }
}

/**
 * Returns the text of the body of a request. A payload that is a `Uint8Array` is written in Base64, as the member that
 * the server has for it.
 *
 * @throws NotJson if JSON has no such value. What `JSON.stringify` would leave out, or write as `null` or `{}` without
 *   a word, is refused, too, unless it is a member that is undefined
 */
export function encode(body: object, valuesMax = VALUES_MAX): string {
  const mark = randomUUID();
  let isMarked = false;
  let values = 0;
  function replace(this: unknown, key: string, value: unknown): unknown {
    if (++values > valuesMax) {
      throw new RangeError(`There are more than ${valuesMax} values`);
    }
    if (value instanceof ExactNumber || Object.is(value, -0)) {
      isMarked = true;
      return mark + (value instanceof ExactNumber ? value.text : '-0');
    }
    requireJson(this, key, value);
    return value;
  }
  try {
    body = inBase64(body);
    const text = JSON.stringify(body, replace);
    return isMarked ? text.replaceAll(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1') : text;
  } catch (error) {
    throw new NotJson(`It cannot be written as JSON: ${textOf(error)}`);
  }
}

/** @param value what `toJSON` of the member has made of it, if it has one */
function requireJson(holder: unknown, key: string, value: unknown): void {
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw new TypeError(`JSON has no ${typeof value}`);
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError(`JSON has no ${value}`);
  }
  if (typeof value !== 'object' && value !== undefined) {
    return;
  }
  const given = (holder as Record<string, unknown>)[key];
  if (value === undefined && (given !== undefined || Array.isArray(holder))) {
    throw new TypeError('JSON has no undefined');
  }
  if (value === null && given instanceof Date) {
    throw new TypeError('JSON has no Date that is invalid');
  }
  if (ArrayBuffer.isView(given)) {
    throw new TypeError(`JSON has no ${nameOf(given)}: bytes are a payload of their own`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    requireMembers(value);
  }
}

/** Refuses objects of which no member, or not each, would be written. */
function requireMembers(value: object): void {
  if (value instanceof Map || value instanceof Set) {
    throw new TypeError('JSON has no Map and no Set: use Object.fromEntries or an array');
  }
  if (value instanceof Number && !Number.isFinite(Number(value))) {
    throw new TypeError(`JSON has no ${Number(value)}`);
  }
  if (value instanceof Number || value instanceof Boolean || value instanceof String) {
    return;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (value instanceof Error || (!isPlain && Object.keys(value).length === 0)) {
    throw new TypeError(`JSON has no ${nameOf(value)}`);
  }
  if (Object.getOwnPropertySymbols(value).some((symbol) => Object.prototype.propertyIsEnumerable.call(value, symbol))) {
    throw new TypeError('JSON has no symbol as the name of a member');
  }
}

function nameOf(value: object): string {
  const { name } = value.constructor ?? {};
  return typeof name === 'string' && name !== '' ? name : Object.prototype.toString.call(value).slice(8, -1);
}

function inBase64(body: object): object {
  const { jobs } = body as { jobs?: unknown };
  const bytes = Object.entries(body).filter(([name, value]) => MAY_BE_BYTES.has(name) && value instanceof Uint8Array);
  if (bytes.length === 0 && !Array.isArray(jobs)) {
    return body;
  }
  const members: Record<string, unknown> = { ...body };
  for (const [name, value] of bytes) {
    delete members[name];
    members[`${name}Bytes`] = Buffer.from(value as Uint8Array).toString('base64');
  }
  if (Array.isArray(jobs)) {
    members['jobs'] = jobs.map((job: unknown) => (typeof job === 'object' && job !== null ? inBase64(job) : job));
  }
  return members;
}

/** Returns the bytes of a payload, which a reply has in Base64. */
export function fromBase64(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'));
}

/**
 * Returns the value of a reply. Beside each payload, such as `data`, it has its text, as `dataText`.
 *
 * @throws SyntaxError if it is no JSON
 */
export function decode(text: string): unknown {
  return new Reader(text).all();
}

/** Reads a reply of the server down to the payloads in it. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  all(): unknown {
    const value = this.#value(PAYLOADS);
    if (this.#peek() !== '') {
      throw new SyntaxError('There is more than one value.');
    }
    return value;
  }

  #value(places: Places): unknown {
    if (places.size === 0) {
      return parse(this.#slice());
    }
    switch (this.#peek()) {
      case '{':
        return this.#members(places);
      case '[':
        return this.#items(places);
      default:
        return parse(this.#slice());
    }
  }

  #members(places: Places): object {
    const members: Array<[string, unknown]> = [];
    this.#expect('{');
    while (this.#peek() !== '}') {
      if (members.length > 0) {
        this.#expect(',');
      }
      const name: unknown = JSON.parse(this.#slice());
      if (typeof name !== 'string') {
        throw new SyntaxError('The name of a member is no text.');
      }
      this.#expect(':');
      const inner = places.get(name) ?? NONE;
      if (inner === PAYLOAD) {
        const text = this.#slice();
        members.push([name, parse(text)], [`${name}Text`, text]);
      } else {
        members.push([name, this.#value(inner)]);
      }
    }
    this.#expect('}');
    return Object.fromEntries(members);
  }

  #items(places: Places): unknown[] {
    const items: unknown[] = [];
    this.#expect('[');
    while (this.#peek() !== ']') {
      if (items.length > 0) {
        this.#expect(',');
      }
      items.push(this.#value(places));
    }
    this.#expect(']');
    return items;
  }

  /** The next character that is no space; none at the end. */
  #peek(): string {
    while (' \t\n\r'.includes(this.#text.charAt(this.#at)) && this.#at < this.#text.length) {
      this.#at++;
    }
    return this.#text.charAt(this.#at);
  }

  #expect(sign: string): void {
    if (this.#peek() !== sign) {
      throw new SyntaxError(`There is no ${sign} at ${this.#at}.`);
    }
    this.#at++;
  }

  /** The text of the next value. */
  #slice(): string {
    const first = this.#peek();
    const start = this.#at;
    if (first === '"') {
      this.#at = endOfString(this.#text, start);
    } else if (first === '{' || first === '[') {
      this.#at = endOfBrackets(this.#text, start);
    } else {
      while (this.#at < this.#text.length && !',:]} \t\n\r'.includes(this.#text.charAt(this.#at))) {
        this.#at++;
      }
    }
    return this.#text.slice(start, this.#at);
  }
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charAt(end - 1 - escapes) === '\\') {
      escapes++;
    }
    if (escapes % 2 === 0) {
      return end + 1;
    }
  }
  throw new SyntaxError('A text does not end.');
}

function endOfBrackets(text: string, start: number): number {
  const signs = /["{}[\]]/g;
  signs.lastIndex = start;
  let depth = 0;
  for (let sign = signs.exec(text); sign !== null; sign = signs.exec(text)) {
    if (sign[0] === '"') {
      signs.lastIndex = endOfString(text, sign.index);
    } else if ((depth += sign[0] === '{' || sign[0] === '[' ? 1 : -1) === 0) {
      return signs.lastIndex;
    }
  }
  throw new SyntaxError('A value does not end.');
}

/** Parses a payload. The numbers that a double does not hold become marked texts, and then exact numbers. */
function parse(text: string): unknown {
  const mark = randomUUID();
  const tokens = /"|-?\d[\d.eE+-]*/g;
  let marked = '';
  let done = 0;
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    if (token[0] === '"') {
      tokens.lastIndex = endOfString(text, token.index);
    } else if (!isHeld(token[0]) && NUMBER.test(token[0])) {
      marked += `${text.slice(done, token.index)}"${mark}${token[0]}"`;
      done = tokens.lastIndex;
    }
  }
  if (done === 0) {
    return JSON.parse(text);
  }
  return JSON.parse(marked + text.slice(done), (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? new ExactNumber(value.slice(mark.length)) : value,
  );
}

/** Whether a double holds a number: it is written as another text of the same number. */
function isHeld(text: string): boolean {
  return (text.length <= SURE_DIGITS && !/e/i.test(text)) || digits(text) === digits(String(Number(text)));
}

/** Beyond it, no double has such an exponent. */
const LONGEST_EXPONENT = 20;

/** A number as its digits without zeros at their ends, and its exponent: equal numbers have equal ones. */
function digits(text: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (whole === undefined || exponent.length > LONGEST_EXPONENT) {
    return text;
  }
  const all = (whole + fraction).replace(/^0+/, '');
  const significant = all.replace(/0+$/, '');
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(all.length - significant.length);
  return significant === '' ? '0' : `${sign}${significant}e${power}`;
}
