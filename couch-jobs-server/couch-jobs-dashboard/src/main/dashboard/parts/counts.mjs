// Counts of jobs by state.

import { html } from '../html.mjs';
import { number } from '../format.mjs';
import { own } from '../lookup.mjs';
import { href } from '../router.mjs';
import { None } from './basics.mjs';

const STATES = ['running', 'pending', 'succeeded', 'failed', 'cancelled', 'expired'];
const LISTS = { pending: 'pending', running: 'running' };

/** A count that links to the jobs: a list by state, or of dead letters. */
export function StateCount({ type, state, count }) {
  if (count === 0) {
    return html`<span class="none">0</span>`;
  }
  const text = html`<span class=${`is-${state}`}>${number(count)}</span>`;
  const of = `${number(count)} ${state} of ${type}`;
  if (state === 'failed') {
    return html`<a href=${href('type', { name: type, show: 'dead-letters' })} aria-label=${of}>${text}</a>`;
  }
  return own(LISTS, state)
    ? html`<a href=${href('jobs', { type, state: own(LISTS, state) })} aria-label=${of}>${text}</a>`
    : text;
}

/** The shares of the states as a bar; the numbers are beside it. */
export function StateBar({ counts }) {
  const all = STATES.reduce((sum, state) => sum + counts[state], 0);
  if (all === 0) {
    return html`<${None} />`;
  }
  const title = STATES.filter((state) => counts[state] > 0)
    .map((state) => `${number(counts[state])} ${state}`)
    .join(', ');
  return html`<span class="bar-of-states" role="img" aria-label=${title} title=${title}>
    ${STATES.filter((state) => counts[state] > 0).map(
      (state) => html`<i key=${state} class=${`fill-${state}`} style=${{ flexGrow: String(counts[state] / all) }}></i>`,
    )}
  </span>`;
}
