// Changes of all jobs that meet a condition. The server makes them, also when the page is closed.

import { forEach, get, path, send } from './api.mjs';
import { own } from './lookup.mjs';

const POLL_MILLIS = 300;
const OUTCOMES = ['succeeded', 'failed', 'cancelled', 'expired'];

const REASON = { name: 'reason', label: 'Reason', maxLength: 1000 };
const TIME = { name: 'at', label: 'Time', type: 'datetime-local', step: 1, required: true, hint: 'In your time zone.' };
const PRIORITY = {
  name: 'priority', label: 'Priority', type: 'number', value: 0, step: 1, required: true, hint: 'Higher ones run first.',
};

/** What may be done to jobs; request is how it is done to one. */
export const ACTIONS = {
  cancel: {
    verb: 'Cancel',
    done: 'cancelled',
    fields: [REASON],
    isDangerous: true,
    request: (type, id) => ['POST', path`v1/types/${type}/jobs/${id}/cancel`],
  },
  retry: {
    verb: 'Retry',
    done: 'pending again',
    request: (type, id) => ['POST', path`v1/types/${type}/dead-letters/${id}/retry`],
  },
  run_now: { verb: 'Run now', done: 'due', request: (type, id) => ['POST', path`v1/types/${type}/jobs/${id}/run-now`] },
  reschedule: {
    verb: 'Reschedule',
    done: 'rescheduled',
    fields: [TIME],
    request: (type, id) => ['POST', path`v1/types/${type}/jobs/${id}/reschedule`],
  },
  reprioritise: {
    verb: 'Reprioritise',
    done: 'reprioritised',
    fields: [PRIORITY],
    request: (type, id) => ['POST', path`v1/types/${type}/jobs/${id}/reprioritise`],
  },
  remove: {
    verb: 'Remove',
    done: 'removed',
    isDangerous: true,
    request: (type, id) => ['DELETE', path`v1/types/${type}/jobs/${id}`],
  },
};

/** What the API wants besides the action, of the values of its fields. */
export function valuesOf({ reason, at, priority }) {
  return {
    ...(reason && { reason }),
    ...(at && { at: new Date(at).toISOString() }),
    ...(priority !== undefined && { priority: Number(priority) }),
  };
}

/**
 * Does something to each of some jobs, and returns how many have changed; tell hears how far it is. Jobs whose request
 * fails do not prevent the others.
 */
export async function changeEach(type, ids, action, values, tell) {
  const body = Object.keys(values).length === 0 ? undefined : values;
  let changed = 0;
  let done = 0;
  let failure = null;
  await forEach(ids, async (id) => {
    try {
      const reply = await send(...own(ACTIONS, action).request(type, id), body);
      changed += reply.changed ? 1 : 0;
    } catch (error) {
      failure ??= error;
    }
    tell(++done);
  });
  if (failure) {
    failure.detail = `${failure.detail ?? ''} ${changed} of ${ids.length} jobs have changed.`.trim();
    throw failure;
  }
  return changed;
}

/** The condition that a filter of the list means, or null if the server knows none like it. */
export function conditionOf({ state, status, tag }) {
  if (status) {
    return OUTCOMES.includes(status) ? { outcome: status } : status === 'running' ? { state: 'running' } : null;
  }
  return { ...(state && { state }), ...(tag && { tag }) };
}

/** What narrows a change of all jobs further. */
export const DUE_AFTER = {
  name: 'dueAfter',
  label: 'Due after',
  type: 'datetime-local',
  step: 1,
  hint: 'If it is given, only pending jobs that are not due before it. In your time zone.',
};

/** A condition that also demands a due time, if there is one. */
export function withDueAfter(where, dueAfter) {
  return { ...where, ...(dueAfter && { dueAfter: new Date(dueAfter).toISOString() }) };
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
