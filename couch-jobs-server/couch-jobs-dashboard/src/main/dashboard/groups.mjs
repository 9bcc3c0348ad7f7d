// Failures by error: errors that differ in numbers and ids only are one group.

import { splitError } from './format.mjs';

const LONGEST = 200;

/** An error without what differs from job to job. */
export function errorKey(error) {
  return splitError(error)
    .head.replace(/\b(?:[a-z][\w$]*\.)+(?=[A-Z])/g, '')
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '#')
    .replace(/\b0x[0-9a-f]+\b/gi, '#')
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b/gi, '#')
    .replace(/\d+(?:[.,]\d+)*/g, '#')
    .slice(0, LONGEST);
}

/** Groups of dead letters, each of which has type, id, error and failedAt; the largest group first. */
export function byError(letters) {
  const groups = new Map();
  for (const letter of letters) {
    const key = errorKey(letter.error);
    const group = groups.get(key) ?? { key, count: 0, types: new Map(), last: letter };
    group.count++;
    group.types.set(letter.type, (group.types.get(letter.type) ?? 0) + 1);
    if (Date.parse(letter.failedAt) > Date.parse(group.last.failedAt)) {
      group.last = letter;
    }
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => b.count - a.count || a.key.localeCompare(b.key));
}
