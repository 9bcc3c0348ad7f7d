// The frame around all pages: navigation, switches, keyboard.

import { html, useEffect, useRef, useState } from './html.mjs';
import { get, onUnauthenticated, setToken } from './api.mjs';
import { own } from './lookup.mjs';
import { setPaused, useHasItems, useLive, useLiveState } from './live.mjs';
import { current, go, href, onChange } from './router.mjs';
import { ask, Dialog, Line } from './parts/dialog.mjs';
import { Batches } from './pages/batches.mjs';
import { Bridge, BridgeDocument, BridgeNode } from './pages/bridge.mjs';
import { Group } from './pages/group.mjs';
import { Job } from './pages/job.mjs';
import { Jobs } from './pages/jobs.mjs';
import { Overview } from './pages/overview.mjs';
import { Schedules } from './pages/schedules.mjs';
import { Tokens } from './pages/tokens.mjs';
import { Topic, Topics } from './pages/topics.mjs';
import { Type } from './pages/type.mjs';
import { Types } from './pages/types.mjs';
import { Workers } from './pages/workers.mjs';

const PAGES = {
  overview: { title: 'Overview', part: Overview },
  jobs: { title: 'Jobs', part: Jobs },
  job: { title: 'Job', part: Job, under: 'jobs' },
  types: { title: 'Types', part: Types },
  type: { title: 'Type', part: Type, under: 'types' },
  schedules: { title: 'Schedules', part: Schedules },
  batches: { title: 'Batches', part: Batches },
  topics: { title: 'Topics', part: Topics },
  topic: { title: 'Topic', part: Topic, under: 'topics' },
  group: { title: 'Group', part: Group, under: 'topics' },
  workers: { title: 'Workers', part: Workers },
  bridge: { title: 'Bridge', part: Bridge },
  'bridge-node': { title: 'Node', part: BridgeNode, under: 'bridge' },
  'bridge-document': { title: 'Document', part: BridgeDocument, under: 'bridge' },
  tokens: { title: 'Tokens', part: Tokens, isFor: (caller) => caller.tokens && caller.roles.includes('admin') },
};
const MENU = Object.keys(PAGES).filter((page) => !own(PAGES, page).under);
const CALLER_MILLIS = 30_000;
const SEARCH_MILLIS = 5000;
const THEME = 'couch-jobs-theme';
const THEMES = { auto: 'System', light: 'Light', dark: 'Dark' };

function Theme() {
  const [theme, setTheme] = useState(localStorage.getItem(THEME) ?? 'auto');
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(THEME, theme);
    document.dispatchEvent(new Event('themechange'));
  }, [theme]);
  return html`<label class="theme">
    <span class="hidden">Colours</span>
    <select value=${theme} onChange=${(event) => setTheme(event.target.value)}>
      ${Object.entries(THEMES).map(
        ([value, text]) => html`<option value=${value} selected=${value === theme}>${text}</option>`,
      )}
    </select>
  </label>`;
}

function LiveSwitch() {
  const { paused, failing } = useLiveState();
  const text = paused ? 'Paused' : failing ? 'Trying again' : 'Live';
  const look = `live ${paused ? 'is-paused' : failing ? 'is-failing' : ''}`;
  return html`<button type="button" class=${look} aria-pressed=${!paused} onClick=${() => setPaused(!paused)}
    title=${paused ? 'Update the page again' : 'Stop updating the page'}
  ><span class="hidden">Updates: </span>${text}</button>`;
}

function askForToken(error) {
  ask({
    title: error.title,
    text: 'This server wants to know who calls. The token is kept until this tab is closed.',
    confirm: 'Use the token',
    fields: [{ name: 'token', label: 'Token', type: 'password', required: true }],
    run: ({ token }) => setToken(token),
  });
}

function isTyping(target) {
  return target.matches?.('input:not([type=checkbox]), select, textarea') || target.isContentEditable;
}

function focusSearch() {
  const field = document.querySelector('[data-search]');
  field?.focus();
  field?.select();
  return field !== null;
}

/** "/" goes to the search field of the page, or to the one of the jobs. */
function search() {
  if (focusSearch()) {
    return;
  }
  const { page, params } = current();
  go(href('jobs', { type: page === 'type' ? params.name : params.type }));
  const observer = new MutationObserver(() => focusSearch() && observer.disconnect());
  observer.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => observer.disconnect(), SEARCH_MILLIS);
}

export function App() {
  const [route, setRoute] = useState(current());
  const main = useRef(null);
  const isFirst = useRef(true);
  useEffect(() => onChange(setRoute), []);
  useEffect(() => onUnauthenticated(askForToken), []);
  useEffect(() => {
    const onKey = (event) => {
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (event.key === '/' && isPlain && !isTyping(event.target) && !document.querySelector('dialog[open]')) {
        event.preventDefault();
        search();
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const isUsed = { bridge: useHasItems('v1/bridge/nodes'), topics: useHasItems('v1/topics?limit=1') };
  const caller = useLive((signal) => get('v1/caller', { signal }), [], CALLER_MILLIS, false).value;
  const isThere = (of) => isUsed[of] !== false && (!own(PAGES, of).isFor || (caller && own(PAGES, of).isFor(caller)));
  const menu = MENU.filter(isThere);
  const page = own(PAGES, route.page);
  const name = route.params.id ?? route.params.name;
  useEffect(() => {
    document.title = [name, page?.title ?? 'No such page', 'couch-jobs'].filter(Boolean).join(' · ');
    if (!isFirst.current && !isTyping(document.activeElement)) {
      main.current.focus();
      window.scrollTo(0, 0);
    }
    isFirst.current = false;
  }, [route.page, name]);
  const skip = (event) => {
    event.preventDefault();
    main.current.focus();
  };
  return html`<a class="skip" href="#main" onClick=${skip}>Skip to the content</a>
    <header class="bar">
      <a class="brand" href=${href('overview')}><img src="assets/icon.svg" alt="" width="20" height="20" />couch-jobs</a>
      <nav aria-label="Pages of the dashboard">
        ${menu.map(
          (of) =>
            html`<a key=${of} href=${href(of)} aria-current=${of === (page?.under ?? route.page) ? 'page' : undefined}
              >${own(PAGES, of).title}</a
            >`,
        )}
      </nav>
      <div class="switches"><${LiveSwitch} /><${Theme} /></div>
    </header>
    <main id="main" ref=${main} tabindex="-1">
      ${page
        ? html`<${page.part} key=${`${route.page} ${name ?? ''}`} params=${route.params} />`
        : html`<h1>There is no such page</h1>
            <p><a href=${href('overview')}>Overview</a></p>`}
    </main>
    <${Line} />
    <${Dialog} />`;
}
