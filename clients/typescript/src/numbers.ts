import { textOf } from './errors.js';

/** The server's longest pause: 36,500 days. */
const LONGEST = 36_500 * 86_400_000;
/** A timer of Node's that is set for longer ends at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Returns a duration that the server is told.
 *
 * @throws RangeError if it is no number of milliseconds from 0 to 36,500 days
 */
export function duration(name: string, value: number): number {
  if (!(typeof value === 'number' && value >= 0 && value <= LONGEST)) {
    throw new RangeError(`${name} is a number of milliseconds from 0 to ${LONGEST}; this is ${shown(value)}.`);
  }
  return value;
}

/**
 * Returns a duration that this program waits, perhaps without end.
 *
 * @throws RangeError if it is no number of milliseconds from 0 on
 */
export function patience(name: string, value: number): number {
  if (!(typeof value === 'number' && value >= 0)) {
    throw new RangeError(`${name} is a number of milliseconds, 0 or more; this is ${shown(value)}.`);
  }
  return value;
}

/**
 * Returns a whole number.
 *
 * @throws RangeError if it is none, or out of its range
 */
export function count(name: string, value: number, least: number, most = Number.MAX_SAFE_INTEGER): number {
  if (!(Number.isSafeInteger(value) && value >= least && value <= most)) {
    throw new RangeError(`${name} is a whole number from ${least} to ${most}; this is ${shown(value)}.`);
  }
  return value;
}

function shown(value: unknown): string {
  return `${textOf(value).slice(0, 100)} (${typeof value})`;
}
