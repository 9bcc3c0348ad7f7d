import assert from 'node:assert/strict';
import test from 'node:test';
import { curve, cut, first, jobBoxes, layout, statusOf } from '../../main/dashboard/graph.mjs';

const box = (key) => ({ key, head: 'type', text: key });

test('columns stand beside each other, and their middles are level', () => {
  const { width, height, boxes, lines } = layout([box('a'), box('b'), box('c')], box('own'), [box('z')]);
  assert.equal(width, 3 * 190 + 2 * 70);
  assert.equal(height, 3 * 54 + 2 * 12);
  const own = boxes.find((one) => one.isOwn);
  assert.equal(own.x, 260);
  assert.equal(own.y + own.height / 2, height / 2);
  assert.deepEqual(boxes.map((one) => one.key), ['a', 'b', 'c', 'own', 'z']);
  assert.equal(lines.length, 4);
  assert.deepEqual(lines[1], { x1: 190, y1: height / 2, x2: 260, y2: height / 2 });
  assert.deepEqual(lines[3], { x1: 450, y1: height / 2, x2: 520, y2: height / 2 });
  assert.equal(curve(lines[1]), 'M190 93C225 93 225 93 260 93M254 89L260 93L254 97');
});

test('a column without boxes takes no room', () => {
  assert.equal(layout([], box('own'), [box('z')]).width, 2 * 190 + 70);
  assert.equal(layout([], box('own'), []).width, 190);
});

test('of many boxes the last one says how many more there are', () => {
  const many = Array.from({ length: 12 }, (unused, i) => box(String(i)));
  assert.equal(first(many, false).length, 8);
  assert.equal(first(many, false).at(-1).text, '5 more');
  assert.equal(first(many.slice(0, 3), true).at(-1).text, 'more');
  assert.deepEqual(first(many.slice(0, 8), false), many.slice(0, 8));
});

test('a status is the outcome, or else what a pending job waits for, or else the state', () => {
  assert.equal(statusOf({ state: 'finished', outcome: 'failed', blocked: false }), 'failed');
  assert.equal(statusOf({ state: 'pending', blocked: true }), 'blocked');
  assert.equal(statusOf({ state: 'pending', blocked: false }), 'pending');
  assert.equal(statusOf({ state: 'not_found', blocked: false }), 'not_found');
});

test('each job of a page has its status in its box', () => {
  const page = {
    items: [
      { type: 'mail', id: 'a', state: 'running', blocked: false },
      { type: 'bill', id: 'b', state: 'not_found', blocked: false },
    ],
    next: 'more',
  };
  const boxes = jobBoxes(page, ({ id }) => `job/${id}`);
  assert.deepEqual(boxes[0], { key: 'mail a', head: 'mail', text: 'a', status: 'running', href: 'job/a' });
  assert.equal(boxes[1].status, 'not_found');
  assert.equal(boxes[2].status, undefined);
  assert.equal(layout(boxes, box('own'), []).boxes[0].status, 'running');
});

test('texts are cut between letters', () => {
  assert.equal(cut('short'), 'short');
  assert.equal(cut('😀'.repeat(30), 4), '😀😀😀…');
});
