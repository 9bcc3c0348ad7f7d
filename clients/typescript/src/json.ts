import { NotJson, textOf } from './errors.js';

/**
 * Returns the text of the body of a request.
 *
 * @throws NotJson if JSON has no such value. Members of the body that `JSON.stringify` would leave out, and what it
 *   would write as `null` or `{}` without a word, are refused, too
 */
export function encode(body: object): string {
  function refuse(this: unknown, key: string, value: unknown): unknown {
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new TypeError(`JSON has no ${value}`);
    }
    if (value instanceof Map || value instanceof Set) {
      throw new TypeError('JSON has no Map and no Set: use Object.fromEntries or an array');
    }
    const isLeftOut = value === undefined || typeof value === 'function' || typeof value === 'symbol';
    if (isLeftOut && this === body && (body as Record<string, unknown>)[key] !== undefined) {
      throw new TypeError(`JSON has no ${typeof value}`);
    }
    return value;
  }
  try {
    return JSON.stringify(body, refuse);
  } catch (error) {
    throw new NotJson(`It cannot be written as JSON: ${textOf(error)}`);
  }
}
