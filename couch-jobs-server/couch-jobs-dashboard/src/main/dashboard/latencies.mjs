// How long jobs wait and run: samples of the server, kept in the page while it is open.

import { get } from './api.mjs';
import { isoMillis } from './format.mjs';

const BIN_MILLIS = 10_000;
const SHOWN_MILLIS = 600_000;
const LATEST_MILLIS = 60_000;

/** The value below or at which a share of sorted values is. */
export function percentile(sorted, share) {
  return sorted.length === 0 ? null : sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

/** The samples of the last while. Each is { at, type, kind, millis }. */
export class Latencies {
  constructor(most = 10_000) {
    this.most = most;
    this.list = [];
    this.last = 0;
  }

  /** Takes a reply of the server; one that has begun anew counts from 1 again. */
  add({ items, last }) {
    const from = last < this.last ? 0 : this.last;
    for (const { number, at, type, kind, time } of items) {
      if (number > from) {
        this.list.push({ at: Date.parse(at), type, kind, millis: isoMillis(time) });
      }
    }
    this.last = last;
    this.list = this.list.slice(-this.most);
  }

  #sorted(type, kind, from, to) {
    return this.list
      .filter((one) => one.kind === kind && (type === null || one.type === type) && one.at >= from && one.at < to)
      .map((one) => one.millis)
      .sort((a, b) => a - b);
  }

  /** Columns for a chart: seconds, then the median and the 95th percentile of each bin; null where it has none. */
  columns(type, kind, now) {
    const seconds = [];
    const median = [];
    const high = [];
    const first = this.list.length === 0 ? now : Math.max(this.list[0].at, now - SHOWN_MILLIS);
    for (let from = Math.floor(first / BIN_MILLIS) * BIN_MILLIS; from <= now; from += BIN_MILLIS) {
      const times = this.#sorted(type, kind, from, from + BIN_MILLIS);
      seconds.push(Math.min(from + BIN_MILLIS / 2, now) / 1000);
      median.push(percentile(times, 0.5));
      high.push(percentile(times, 0.95));
    }
    return { seconds, median, high };
  }

  /** What the samples of the last minute say: how many, median, 95th percentile. */
  latest(type, kind, now) {
    const times = this.#sorted(type, kind, now - LATEST_MILLIS, Infinity);
    return { count: times.length, median: percentile(times, 0.5), high: percentile(times, 0.95) };
  }
}

export const latencies = new Latencies();

/** Reads what was sampled since, and returns when that was. */
export async function readLatencies(signal) {
  const reply = await get('v1/latencies', { query: { after: latencies.last }, signal });
  latencies.add(reply.last < latencies.last ? await get('v1/latencies', { signal }) : reply);
  return Date.now();
}
