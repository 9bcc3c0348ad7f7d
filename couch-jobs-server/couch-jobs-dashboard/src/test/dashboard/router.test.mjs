import assert from 'node:assert/strict';
import test from 'node:test';
import { href, parse } from '../../main/dashboard/router.mjs';

const ROOT = 'https://example.org/ops/jobs/';

test('a URL names a page and its parameters', () => {
  assert.deepEqual(parse(ROOT, `${ROOT}ui/jobs?type=a&state=pending`), {
    page: 'jobs',
    params: { type: 'a', state: 'pending' },
  });
  assert.deepEqual(parse(ROOT, ROOT), { page: 'overview', params: {} });
  assert.deepEqual(parse(ROOT, `${ROOT}?type=a`), { page: 'overview', params: { type: 'a' } });
  assert.equal(parse(ROOT, `${ROOT}ui/nothing/here`).page, 'nothing/here');
});

test('whatever an id contains comes back', () => {
  for (const id of ['a/b', '..', '%2F', 'ä?#&=+;', '<script>', ' ', '"\'']) {
    const url = new URL(href('job', { type: 't', id }), ROOT).href;
    assert.ok(url.startsWith(`${ROOT}ui/job?`), url);
    assert.deepEqual(parse(ROOT, url), { page: 'job', params: { type: 't', id } });
  }
});

test('parameters without a value are left out', () => {
  assert.equal(href('jobs', { type: 'a', state: null, tag: '', after: undefined }), 'ui/jobs?type=a');
  assert.equal(href('overview'), './');
  assert.equal(href('types'), 'ui/types');
});
