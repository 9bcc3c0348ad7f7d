// Follows the feed of changes: long polls, each of which ends with the first change.

/**
 * Calls changed for each while with changes, until stop says so.
 *
 * page reads a page of the feed; wait waits so many milliseconds; ready hears whether the feed is followed.
 */
export async function follow({ page, wait, changed, ready, stop, paceMillis, retryMillis }) {
  let since = null;
  while (!stop()) {
    try {
      if (since === null) {
        since = (await page({ feed: 'normal', since: 'now', limit: 1 })).last_seq;
        ready(true);
        changed();
      }
      const { results, trimmed } = await page({ feed: 'longpoll', since, limit: 1, timeout: 'PT25S' });
      if (results.length > 0 || trimmed) {
        await wait(paceMillis);
        // Nothing is missed: what is read afterwards is no older than this.
        since = (await page({ feed: 'normal', since: 'now', limit: 1 })).last_seq;
        changed();
      }
    } catch {
      since = null;
      if (!stop()) {
        ready(false);
        await wait(retryMillis);
      }
    }
  }
}
