// Counts over time, kept in the page while it is open.

const ENDED = ['succeeded', 'failed', 'cancelled', 'expired'];

export function ended(counts) {
  return ENDED.reduce((sum, state) => sum + counts[state], 0);
}

export function sum(allCounts) {
  const total = { pending: 0, blocked: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0, expired: 0, total: 0 };
  for (const counts of allCounts) {
    for (const state of Object.keys(total)) {
      total[state] += counts[state];
    }
  }
  return total;
}

/** The samples of the last while. Each is { at, total, byType }, where byType is a map. */
export class Samples {
  /** most samples; fewer, if they hold more than mostCounts of types together. */
  constructor(most = 600, gapMillis = 30_000, mostCounts = 100_000) {
    this.most = most;
    this.gapMillis = gapMillis;
    this.mostCounts = mostCounts;
    this.list = [];
  }

  add(at, byType) {
    const all = [...byType.values()];
    this.list.push({ at, total: sum(all), byType });
    const most = Math.max(2, Math.min(this.most, Math.floor(this.mostCounts / Math.max(1, all.length))));
    while (this.list.length > most) {
      this.list.shift();
    }
  }

  /** Columns for a chart: seconds, then pending, running and ended per second; null where nothing was sampled. */
  columns(type = null, last = this.list.length) {
    const seconds = [];
    const pending = [];
    const running = [];
    const perSecond = [];
    let before = null;
    for (const { at, total, byType } of this.list.slice(-last)) {
      const counts = type === null ? total : byType.get(type);
      if (before && at - before.at > this.gapMillis) {
        seconds.push((before.at + at) / 2000);
        [pending, running, perSecond].forEach((column) => column.push(null));
        before = null;
      }
      seconds.push(at / 1000);
      pending.push(counts ? counts.pending : null);
      running.push(counts ? counts.running : null);
      perSecond.push(speed(before?.counts, counts, before ? at - before.at : 0));
      before = { at, counts };
    }
    return { seconds, pending, running, perSecond };
  }

  /** Jobs that ended in a second, over the last samples; null before there are two. */
  speed(type = null, over = 5) {
    const last = this.columns(type, over + 1).perSecond.filter((value) => value !== null);
    return last.length === 0 ? null : last.reduce((a, b) => a + b, 0) / last.length;
  }
}

/** Removals make the number of ended jobs smaller: that is no negative speed. */
function speed(before, after, millis) {
  if (!before || !after || millis <= 0) {
    return null;
  }
  return Math.max(0, ((ended(after) - ended(before)) * 1000) / millis);
}
