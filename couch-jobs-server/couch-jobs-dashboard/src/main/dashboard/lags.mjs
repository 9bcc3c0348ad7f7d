// How far groups are behind, sampled while the page is open.

const SHOWN_MILLIS = 600_000;

export class LagSamples {
  constructor() {
    this.list = [];
  }

  /** Takes the groups as they are at a time. */
  add(at, groups) {
    this.list.push({ at, lags: new Map(groups.map(({ name, lag }) => [name, lag])) });
    this.list = this.list.filter((sample) => sample.at > at - SHOWN_MILLIS);
  }

  /** Seconds, and the lags of each group; null where a group was not there. */
  columns(names) {
    return [
      this.list.map(({ at }) => at / 1000),
      ...names.map((name) => this.list.map(({ lags }) => lags.get(name) ?? null)),
    ];
  }
}
