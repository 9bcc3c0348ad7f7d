// Reads that several pages share.

import { forEach, get, path } from './api.mjs';
import { Samples } from './samples.mjs';

/** Each type costs the server some reads, so with many of them the pages are read less often. */
const MILLIS_PER_TYPE = 10;
const TYPES_AT_ONCE = 500;
export const TYPES_MAX = 2000;
export const LETTERS_MAX = 100;
const FAILING_MAX = 50;
export const samples = new Samples();

export function pace(types) {
  return Math.max(2000, (types?.length ?? 0) * MILLIS_PER_TYPE);
}

export async function typeNames(signal) {
  return (await get('v1/types', { signal })).items;
}

/** All types with their counts, pause and limits, up to a bound; what they count becomes a sample. */
export async function types(signal) {
  const found = [];
  let after;
  do {
    const { items, next } = await get('v1/type-details', { query: { limit: TYPES_AT_ONCE, after }, signal });
    found.push(...items);
    after = next;
  } while (after !== undefined && found.length < TYPES_MAX);
  samples.add(Date.now(), new Map(found.map((type) => [type.name, type.counts])));
  return found;
}

/** The newest dead letters of the types that count most failures. */
export async function letters(found, signal) {
  const failing = found.filter((type) => type.counts.failed > 0).sort((a, b) => b.counts.failed - a.counts.failed);
  const query = { limit: LETTERS_MAX, newestFirst: true };
  const pages = await forEach(failing.slice(0, FAILING_MAX), async ({ name }) => {
    const { items, next } = await get(path`v1/types/${name}/dead-letters`, { query, signal });
    return { isCut: next !== undefined, items: items.map((item) => ({ ...item, type: name })) };
  });
  return {
    isCut: failing.length > FAILING_MAX || pages.some((page) => page.isCut),
    items: pages.flatMap((page) => page.items),
  };
}
