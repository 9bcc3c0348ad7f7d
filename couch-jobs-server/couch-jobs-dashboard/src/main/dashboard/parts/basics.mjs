// Small parts that most pages use.

import { html, useEffect, useState } from '../html.mjs';
import { ago, localTime, splitError } from '../format.mjs';
import { href } from '../router.mjs';

const TICK_MILLIS = 1000;

/** The time, which moves on while the page is open. */
export function useNow() {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MILLIS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

export function Time({ at }) {
  const now = useNow();
  return at ? html`<time datetime=${at} title=${localTime(at)}>${ago(at, now)}</time>` : html`<${None} />`;
}

export function None({ text = '–' }) {
  return html`<span class="none">${text}</span>`;
}

export function Status({ of, text = of.replaceAll('_', ' ') }) {
  return html`<span class=${`status is-${of}`}>${text}</span>`;
}

export function JobLink({ type, id }) {
  return html`<a class="id" href=${href('job', { type, id })}>${id}</a>`;
}

export function TypeLink({ type }) {
  return html`<a class="id" href=${href('type', { name: type })}>${type}</a>`;
}

/** An error's first line; the rest is folded. */
export function ErrorText({ error }) {
  const { head, stack } = splitError(error);
  if (stack === '') {
    return html`<span class="error-text">${head}</span>`;
  }
  return html`<details class="error-text">
    <summary>${head}</summary>
    <pre tabindex="0" aria-label="Stack">${stack}</pre>
  </details>`;
}

/** What the server says is wrong, and what to do. */
export function Problem({ error, compact = false }) {
  if (!error) {
    return null;
  }
  return html`<div class=${compact ? 'problem compact' : 'problem'} role="alert">
    <strong>${error.title ?? 'The page has failed.'}</strong>
    <p>${error.detail ?? String(error)}</p>
    ${error.status === 403 && html`<p>Ask an administrator for this role, or use another token.</p>`}
    ${error.errors?.length > 0 &&
    html`<ul>
      ${error.errors.map((one) => html`<li><code>${one.pointer}</code> ${one.detail}</li>`)}
    </ul>`}
  </div>`;
}

/** What was read, or what is wrong, or that it is being read. */
export function Loaded({ from, children }) {
  if (from.value !== null) {
    return html`${from.error && html`<${Problem} error=${from.error} compact />`} ${children(from.value)}`;
  }
  return from.error ? html`<${Problem} error=${from.error} />` : html`<p class="loading">Loading…</p>`;
}

/** A heading with what belongs to it. */
export function Section({ title, note, actions, children, id }) {
  return html`<section class="card" aria-labelledby=${id}>
    <header>
      <h2 id=${id}>${title}</h2>
      ${note && html`<p class="note">${note}</p>`}
      ${actions && html`<div class="actions">${actions}</div>`}
    </header>
    ${children}
  </section>`;
}

/** Names and values. Each item is [name, value]; without a value it is left out. */
export function Facts({ items }) {
  const shown = items.filter((item) => item && item[1] !== undefined && item[1] !== null && item[1] !== '');
  return html`<dl class="facts">
    ${shown.map(
      ([name, value]) =>
        html`<div key=${name}>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

export function Copy({ text, what }) {
  const [done, setDone] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone('Copied');
    } catch {
      setDone('The browser does not allow it');
    }
  };
  useEffect(() => {
    const timer = done && setTimeout(() => setDone(''), 3000);
    return () => clearTimeout(timer);
  }, [done]);
  return html`<button type="button" class="small" onClick=${copy} aria-label=${`Copy ${what}`}>Copy</button>
    <span class="note" role="status">${done}</span>`;
}
