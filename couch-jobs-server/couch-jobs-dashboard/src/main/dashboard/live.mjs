// Keeps what a page shows up to date: by the feed where it tells of changes, else by polling. It rests while the page
// is hidden or the reader has paused it.

import { get } from './api.mjs';
import { follow } from './feed.mjs';
import { useEffect, useRef, useState } from './html.mjs';

const LONGEST_MILLIS = 30_000;
const FED_MILLIS = 10_000;
const PACE_MILLIS = 1000;
const READERS = new Set();
const LISTENERS = new Set();
const state = { paused: false, failing: false };
let isFollowing = false;
let feed = null;

function tell() {
  LISTENERS.forEach((listener) => listener({ ...state }));
}

function isIdle() {
  return state.paused || document.hidden;
}

function startFeed() {
  const own = new AbortController();
  feed = own;
  follow({
    page: (query) => get('v1/feed', { query, signal: own.signal }),
    wait: (millis) => new Promise((resolve) => setTimeout(resolve, millis)),
    changed: () => own.signal.aborted || READERS.forEach((reader) => reader.changed()),
    ready: (following) => {
      isFollowing = following && !own.signal.aborted;
    },
    stop: () => own.signal.aborted,
    paceMillis: PACE_MILLIS,
    retryMillis: LONGEST_MILLIS,
  });
}

function stopFeed() {
  feed?.abort();
  feed = null;
  isFollowing = false;
}

/** The feed takes one of the few connections that a browser opens to a server: a hidden page holds none. */
function resumeOrRest() {
  stopFeed();
  if (!isIdle()) {
    startFeed();
    refreshAll();
  }
}

export function setPaused(paused) {
  state.paused = paused;
  tell();
  resumeOrRest();
}

/** Reads again what is shown: something was changed here. */
export function refreshAll() {
  READERS.forEach((reader) => reader.read());
}

export function startUpdates() {
  document.addEventListener('visibilitychange', resumeOrRest);
  resumeOrRest();
}

/** Whether updates are paused, and whether the last read failed. */
export function useLiveState() {
  const [shown, setShown] = useState({ ...state });
  useEffect(() => {
    LISTENERS.add(setShown);
    return () => LISTENERS.delete(setShown);
  }, []);
  return shown;
}

/**
 * Reads, and reads again while the page is visible. A failed read leaves the value as it was.
 *
 * load gets a signal that ends it; deps are what load depends on; everyMillis may be a function of the value; isFed
 * says that the feed tells of changes of the value, which is then read after a change, and seldom without one.
 */
export function useLive(load, deps, everyMillis = 2000, isFed = true) {
  const [shown, setShown] = useState({ value: null, error: null });
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    let timer = 0;
    let failures = 0;
    let ended = false;
    let controller = null;
    let pace = 0;
    let began = 0;
    const later = (millis) => {
      clearTimeout(timer);
      timer = setTimeout(() => (isIdle() ? later(millis) : read()), millis);
    };
    const read = async () => {
      clearTimeout(timer);
      controller?.abort();
      const own = new AbortController();
      controller = own;
      began = Date.now();
      let value = null;
      try {
        value = await latest.current(own.signal);
        failures = 0;
        if (!own.signal.aborted) {
          setShown({ value, error: null });
        }
      } catch (error) {
        failures++;
        if (!own.signal.aborted) {
          setShown((before) => ({ value: before.value, error }));
        }
      }
      if (ended || own.signal.aborted) {
        return;
      }
      controller = null;
      if (state.failing !== failures > 0) {
        state.failing = failures > 0;
        tell();
      }
      pace = typeof everyMillis === 'function' ? everyMillis(value) : everyMillis;
      const quiet = isFed && isFollowing ? Math.max(pace, FED_MILLIS) : pace;
      later(Math.min(LONGEST_MILLIS, quiet * 2 ** failures));
    };
    const changed = () => {
      if (isFed && controller === null) {
        later(Math.max(0, began + pace - Date.now()));
      }
    };
    const reader = { read, changed };
    setShown({ value: null, error: null });
    READERS.add(reader);
    read();
    return () => {
      ended = true;
      READERS.delete(reader);
      clearTimeout(timer);
      controller?.abort();
    };
  }, deps);
  return shown;
}

/** Whether a list that the reader may see has items; the menu leaves its page out otherwise. */
export function useHasItems(url) {
  const found = useLive(
    async (signal) => {
      try {
        return (await get(url, { signal })).items.length;
      } catch (error) {
        if (error.status === 403 || error.status === 404) {
          return 0;
        }
        throw error;
      }
    },
    [url],
    LONGEST_MILLIS,
    false,
  );
  return found.value > 0;
}
