// Reads that several pages share.

import { find, forEach, get, path } from './api.mjs';
import { Samples } from './samples.mjs';

/** Each type is one request, so with many of them the pages are read less often. */
const MILLIS_PER_TYPE = 100;
export const TYPES_MAX = 200;
export const LETTERS_MAX = 100;
export const samples = new Samples();

export function pace(types) {
  return Math.max(2000, (types?.length ?? 0) * MILLIS_PER_TYPE);
}

export async function typeNames(signal) {
  return (await get('v1/types', { signal })).items;
}

/** All types with their counts, pause and limits, up to a bound; what they count becomes a sample. */
export async function types(signal) {
  const names = (await typeNames(signal)).slice(0, TYPES_MAX);
  const found = (await forEach(names, (name) => find(path`v1/types/${name}`, { signal }))).filter(Boolean);
  samples.add(Date.now(), Object.fromEntries(found.map((type) => [type.name, type.counts])));
  return found;
}

/** The newest dead letters of each type that counts failures. */
export async function letters(found, signal) {
  const failing = found.filter((type) => type.counts.failed > 0);
  const query = { limit: LETTERS_MAX, newestFirst: true };
  const pages = await forEach(failing, async ({ name }) => {
    const { items, next } = await get(path`v1/types/${name}/dead-letters`, { query, signal });
    return { isCut: next !== undefined, items: items.map((item) => ({ ...item, type: name })) };
  });
  return { isCut: pages.some((page) => page.isCut), items: pages.flatMap((page) => page.items) };
}
