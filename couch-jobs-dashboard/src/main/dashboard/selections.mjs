// Changes of all jobs that meet a condition. The server makes them, also when the page is closed.

import { get, path, send } from './api.mjs';

const POLL_MILLIS = 300;
const OUTCOMES = ['succeeded', 'failed', 'cancelled', 'expired'];

export const ACTIONS = {
  cancel: { verb: 'Cancel', done: 'cancelled', hasReason: true, isDangerous: true },
  retry: { verb: 'Retry', done: 'pending again' },
  run_now: { verb: 'Run now', done: 'due' },
  remove: { verb: 'Remove', done: 'removed', isDangerous: true },
};

/** The condition that a filter of the list means, or null if the server knows none like it. */
export function conditionOf({ state, status, tag }) {
  if (status) {
    return OUTCOMES.includes(status) ? { outcome: status } : status === 'running' ? { state: 'running' } : null;
  }
  return { ...(state && { state }), ...(tag && { tag }) };
}

/** Runs a selection to its end, and returns how many jobs it took; tell hears how far it is. */
export async function select(type, request, tell) {
  const { id } = await send('POST', path`v1/types/${type}/selections`, request);
  for (;;) {
    const found = await get(path`v1/types/${type}/selections/${id}`);
    if (found.outcome === 'succeeded') {
      return found.applied;
    }
    if (found.state === 'finished') {
      throw Object.assign(new Error(found.error), { title: 'It has not ended well.', detail: found.error ?? '' });
    }
    tell(found);
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLIS));
  }
}
