// Keeps what a page shows up to date. It polls; all pages go through this module, so a feed can take its place.

import { useEffect, useRef, useState } from './html.mjs';

const LONGEST_MILLIS = 30_000;
const READERS = new Set();
const LISTENERS = new Set();
const state = { paused: false, failing: false };

function tell() {
  LISTENERS.forEach((listener) => listener({ ...state }));
}

function isIdle() {
  return state.paused || document.hidden;
}

export function setPaused(paused) {
  state.paused = paused;
  tell();
  if (!paused) {
    refreshAll();
  }
}

/** Reads again what is shown: something was changed here. */
export function refreshAll() {
  READERS.forEach((read) => read());
}

document.addEventListener('visibilitychange', () => {
  if (!isIdle()) {
    refreshAll();
  }
});

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
 * load gets a signal that ends it; everyMillis may be a function of the value; deps are what load depends on.
 */
export function useLive(load, deps, everyMillis = 2000) {
  const [shown, setShown] = useState({ value: null, error: null });
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    let timer = 0;
    let failures = 0;
    let ended = false;
    let controller = null;
    const later = (millis) => {
      clearTimeout(timer);
      timer = setTimeout(() => (isIdle() ? later(millis) : read()), millis);
    };
    const read = async () => {
      clearTimeout(timer);
      controller?.abort();
      const own = new AbortController();
      controller = own;
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
      if (state.failing !== failures > 0) {
        state.failing = failures > 0;
        tell();
      }
      const pace = typeof everyMillis === 'function' ? everyMillis(value) : everyMillis;
      later(Math.min(LONGEST_MILLIS, pace * 2 ** failures));
    };
    setShown({ value: null, error: null });
    READERS.add(read);
    read();
    return () => {
      ended = true;
      READERS.delete(read);
      clearTimeout(timer);
      controller?.abort();
    };
  }, deps);
  return shown;
}
