import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { own } from '../../main/dashboard/lookup.mjs';
import { Samples } from '../../main/dashboard/samples.mjs';

const MAIN = new URL('../../main/dashboard/', import.meta.url);
/** What every object has, and nobody means. */
const INHERITED = [...Object.getOwnPropertyNames(Object.prototype), 'prototype'];

test('a table has only what was put into it', () => {
  for (const name of INHERITED) {
    assert.equal(own({ a: 1 }, name), undefined, name);
    assert.equal(own(JSON.parse(`{"${name}": 5}`), name), 5, name);
  }
  assert.equal(own({ a: 1 }, 'a'), 1);
  assert.equal(own(undefined, 'a'), undefined);
});

test('a type may be called as what every object has', () => {
  const counts = { pending: 1, blocked: 0, running: 0, succeeded: 5, failed: 0, cancelled: 0, expired: 0, total: 6 };
  for (const name of INHERITED) {
    const samples = new Samples();
    samples.add(0, new Map());
    samples.add(1000, new Map([[name, counts]]));
    assert.deepEqual(samples.columns(name).pending, [null, 1], name);
    assert.deepEqual(samples.columns('other').pending, [null, null], name);
  }
});

test('no table of the pages is read by a name without own()', () => {
  const files = readdirSync(MAIN, { recursive: true }).filter((file) => file.endsWith('.mjs') && !file.includes('libraries'));
  assert.ok(files.length > 30);
  for (const file of files) {
    const text = readFileSync(new URL(file, MAIN), 'utf8');
    const read = text.match(/\b[A-Z][A-Z_]+\[[a-z][^\]]*\]|\b(?:byType|concurrency|settings|wanted)\[[a-z][^\]]*\]/g) ?? [];
    assert.deepEqual(read, [], file);
  }
});
