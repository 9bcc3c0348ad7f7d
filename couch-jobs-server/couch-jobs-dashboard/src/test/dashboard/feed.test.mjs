import assert from 'node:assert/strict';
import test from 'node:test';
import { follow } from '../../main/dashboard/feed.mjs';

/** Replies in turn; the feed is stopped when there are no more. */
async function run(replies) {
  const seen = [];
  let next = 0;
  await follow({
    page: async ({ feed, since, limit }) => {
      seen.push(`${feed} ${since}`);
      assert.equal(limit, 1);
      const reply = replies[next++];
      if (reply instanceof Error) {
        throw reply;
      }
      return { results: [], ...reply };
    },
    wait: async (millis) => seen.push(`wait ${millis}`),
    changed: () => seen.push('changed'),
    ready: (isReady) => seen.push(`ready ${isReady}`),
    stop: () => next === replies.length,
    paceMillis: 7,
    retryMillis: 99,
  });
  return seen;
}

test('a change is told after a while, and nothing since is missed', async () => {
  assert.deepEqual(
    await run([{ last_seq: 'a' }, { results: [{}] }, { last_seq: 'b' }, {}, { results: [{}] }, { last_seq: 'c' }]),
    [
      'normal now', 'ready true', 'changed', 'longpoll a', 'wait 7', 'normal now', 'changed',
      'longpoll b', 'longpoll b', 'wait 7', 'normal now', 'changed',
    ],
  );
});

test('changes that were removed unread are changes', async () => {
  const seen = await run([{ last_seq: 'a' }, { trimmed: true }, { last_seq: 'b' }]);
  assert.equal(seen.filter((what) => what === 'changed').length, 2);
});

test('after a failure the feed begins again later', async () => {
  assert.deepEqual(await run([{ last_seq: 'a' }, new Error('gone'), { last_seq: 'b' }, {}]), [
    'normal now', 'ready true', 'changed', 'longpoll a', 'ready false', 'wait 99',
    'normal now', 'ready true', 'changed', 'longpoll b',
  ]);
});
