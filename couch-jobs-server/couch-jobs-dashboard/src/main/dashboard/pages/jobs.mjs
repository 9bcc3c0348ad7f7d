// The jobs of a type, all or by one filter, a page at a time.

import { html, useEffect, useState } from '../html.mjs';
import { get, path, sendText } from '../api.mjs';
import { typeNames } from '../data.mjs';
import { number, plural } from '../format.mjs';
import { useLive } from '../live.mjs';
import { own } from '../lookup.mjs';
import { bodyOf, fieldsOf } from '../newjob.mjs';
import { go, href } from '../router.mjs';
import { ACTIONS, changeEach, conditionOf, DUE_AFTER, select, valuesOf, withDueAfter } from '../selections.mjs';
import { ErrorText, JobLink, Loaded, Section, Status, Time } from '../parts/basics.mjs';
import { Ask } from '../parts/dialog.mjs';
import { Pages, Table } from '../parts/table.mjs';

const LIMIT = 50;
const STATES = ['pending', 'running', 'finished'];
const STATUSES = [
  'waiting', 'scheduled', 'blocked', 'limited', 'retrying', 'paused', 'running', 'succeeded', 'failed', 'cancelled', 'expired',
];

function capital(word) {
  return word[0].toUpperCase() + word.slice(1);
}

function Filters({ params, names }) {
  const change = (values) => go(href('jobs', { ...params, after: null, ...values }));
  const show = params.state ? `state:${params.state}` : params.status ? `status:${params.status}` : '';
  const showChanged = (event) => {
    const [kind, value] = event.target.value.split(':');
    change({ state: null, status: null, tag: null, ...(value && { [kind]: value }) });
  };
  const option = (kind, value) =>
    html`<option value=${`${kind}:${value}`} selected=${show === `${kind}:${value}`}>${capital(value)}</option>`;
  const search = (event) => {
    event.preventDefault();
    const values = new FormData(event.target);
    const id = values.get('id');
    if (id !== '') {
      go(href('job', { type: params.type, id }));
    } else {
      const tag = values.get('tag');
      change({ tag, ...(tag && { state: null, status: null }) });
    }
  };
  return html`<form class="filters" role="search" onSubmit=${search}>
    <div class="field">
      <label for="type">Type</label>
      <select id="type" onChange=${(event) => change({ type: event.target.value })}>
        ${names.map((name) => html`<option value=${name} selected=${name === params.type}>${name}</option>`)}
      </select>
    </div>
    <div class="field">
      <label for="show">Show</label>
      <select id="show" onChange=${showChanged}>
        <option value="" selected=${show === ''}>All</option>
        <optgroup label="State">${STATES.map((state) => option('state', state))}</optgroup>
        <optgroup label="Status, by the status index">${STATUSES.map((status) => option('status', status))}</optgroup>
      </select>
    </div>
    ${params.status &&
    html`<div class="field">
      <label for="order">Order</label>
      <select id="order" onChange=${(event) => change({ order: event.target.value })}>
        <option value="" selected=${!params.order}>First ones first</option>
        <option value="newest" selected=${params.order === 'newest'}>Last ones first</option>
      </select>
    </div>`}
    <div class="field">
      <label for="tag">Tag</label>
      <input id="tag" name="tag" key=${params.tag} defaultValue=${params.tag ?? ''} autocomplete="off" />
    </div>
    <div class="field">
      <label for="id">Id</label>
      <input id="id" name="id" data-search autocomplete="off" aria-keyshortcuts="/" placeholder="/" />
    </div>
    <button type="submit" class="primary">Find</button>
  </form>`;
}

/** A listing by status says more about each job than the others. */
function JobTable({ type, jobs, chosen, choose }) {
  const all = jobs.length > 0 && chosen.length === jobs.length;
  const box = (checked, label, changed, isMixed) =>
    html`<input type="checkbox" checked=${checked} indeterminate=${isMixed} aria-label=${label} onChange=${changed} />`;
  const toggled = (id) => (chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  const has = (field) => jobs.some((job) => job[field] !== undefined);
  return html`<${Table}
    label="Jobs"
    rows=${jobs}
    keyOf=${(job) => job.id}
    empty="No job is like that."
    columns=${[
      {
        isNarrow: true,
        head: box(all, 'Select all jobs of this page', () => choose(all ? [] : jobs.map((job) => job.id)), chosen.length > 0 && !all),
        cell: ({ id }) => box(chosen.includes(id), `Select ${id}`, () => choose(toggled(id))),
      },
      { head: 'Id', isMain: true, cell: (job) => html`<${JobLink} type=${type} id=${job.id} />` },
      { head: 'State', cell: (job) => html`<${Status} of=${job.status ?? job.state} />` },
      has('since') && { head: 'Since', cell: (job) => html`<${Time} at=${job.since} />` },
      { head: 'Scheduled', isWide: has('since'), cell: (job) => html`<${Time} at=${job.scheduledTime} />` },
      has('holder') && { head: 'Holder', cell: (job) => html`<span class="id">${job.holder}</span>` },
      has('failures') && {
        head: 'Failures',
        isNumber: true,
        isWide: true,
        cell: (job) => html`<span class=${job.failures === 0 ? 'none' : ''}>${number(job.failures)}</span>`,
      },
      has('priority') && { head: 'Priority', isNumber: true, isWide: true, cell: (job) => number(job.priority) },
      has('progress') && {
        head: 'Progress',
        isWide: true,
        cell: ({ progress }) =>
          progress &&
          html`<span class="id">
            ${number(progress.done)}${progress.total > 0 && ` of ${number(progress.total)}`} ${progress.text}
          </span>`,
      },
      has('error') && { head: 'Error', isWide: true, cell: (job) => job.error && html`<${ErrorText} error=${job.error} />` },
      jobs.some((job) => job.tags?.length > 0) && {
        head: 'Tags',
        isWide: true,
        cell: (job) => job.tags?.map((tag) => html`<a class="tag id" href=${href('jobs', { type, tag })}>${tag}</a>`),
      },
    ]}
  />`;
}

/** What can be done to the jobs that are selected in the list. */
function Selected({ type, ids, choose }) {
  if (ids.length === 0) {
    return null;
  }
  const these = plural(ids.length, 'job');
  return html`<div class="selected" role="group" aria-label="Selected jobs">
    <span role="status">${these} selected</span>
    ${Object.entries(ACTIONS).map(
      ([action, { verb, done, fields, isDangerous }]) =>
        html`<${Ask}
          key=${action}
          isSmall
          isDangerous=${isDangerous}
          label=${`${verb}: ${these} selected`}
          title=${`${verb}: ${these} of ${type}?`}
          text="Those that are not in a fitting state are left alone."
          confirm=${`${verb} ${number(ids.length)}`}
          fields=${fields}
          run=${async (values, show) => {
            const tell = (count) => show(`${number(count)} of ${number(ids.length)} done…`);
            const changed = await changeEach(type, ids, action, valuesOf(values), tell);
            choose([]);
            return `${number(changed)} of ${these} ${done}.`;
          }}
          >${verb}…<//
        >`,
    )}
    <button type="button" class="small" onClick=${() => choose([])}>Select none</button>
  </div>`;
}

/** Counts first, and says the count before it changes anything. */
function ChangeAll({ params }) {
  const { type } = params;
  const listed = conditionOf(params);
  if (listed === null) {
    return null;
  }
  const [[, value]] = [...Object.entries(listed), ['', '']];
  const which = value === '' ? `all jobs of ${type}` : `the jobs of ${type} that are listed by “${value}”`;
  const tell = (show) => (found) => show(`${number(found.read ?? 0)} jobs read…`);
  const change = (action, where, count, { verb, isDangerous, fields, done: past } = own(ACTIONS, action)) => ({
    title: `${verb}: ${plural(count, 'job')} of ${type}?`,
    text: 'Those that are not in a fitting state any more are left alone. It goes on if the page is closed.',
    confirm: `${verb} ${number(count)}`,
    isDangerous,
    fields,
    run: async (values, show) => {
      const done = await select(type, { action, where, ...valuesOf(values) }, tell(show));
      return `${plural(done, 'job')} ${past}.`;
    },
  });
  return html`<${Ask}
    title=${`Change ${which}`}
    text="They are counted first."
    confirm="Count"
    fields=${[
      { name: 'action', label: 'Change', choices: Object.entries(ACTIONS).map(([name, { verb }]) => [name, verb]) },
      DUE_AFTER,
    ]}
    run=${async ({ action, dueAfter }, show) => {
      const where = withDueAfter(listed, dueAfter);
      const count = await select(type, { action: 'count', where }, tell(show));
      return count === 0 ? 'No job is like that.' : change(action, where, count);
    }}
    >Change all…<//
  >`;
}

function Enqueue({ type }) {
  return html`<${Ask}
    title="Enqueue a job"
    confirm="Enqueue"
    fields=${fieldsOf(type)}
    run=${async (values) => {
      const added = await sendText('POST', path`v1/types/${values.type}/jobs`, bodyOf(values));
      go(href('job', { type: added.type, id: added.id }));
      return `${added.id}: ${added.change.replaceAll('_', ' ')}.`;
    }}
    >Enqueue…<//
  >`;
}

function List({ params }) {
  const { type, state, status, tag, order, after } = params;
  const query = { state, status, tag, after, limit: LIMIT, newestFirst: status && order === 'newest' ? true : undefined };
  const page = useLive((signal) => get(path`v1/types/${type}/jobs`, { query, signal }), [JSON.stringify(params)], 3000);
  const [wanted, choose] = useState([]);
  useEffect(() => choose([]), [JSON.stringify(params)]);
  // What is not listed any more is not selected.
  const ids = (page.value?.items ?? []).map((job) => job.id).filter((id) => wanted.includes(id));
  const note = html`${tag && html`With the tag <b class="id">${tag}</b>. `}
    <a href=${href('type', { name: type })}>The type’s page</a> has its counts, limits and dead letters.`;
  return html`<${Section} id="list" title=${html`<span class="id">${type}</span>`} note=${note} actions=${html`<${ChangeAll} params=${params} />`}>
    <${Loaded} from=${page}>
      ${(found) => html`<${Selected} type=${type} ids=${ids} choose=${choose} />
        <${JobTable} type=${type} jobs=${found.items} chosen=${ids} choose=${choose} />
        <${Pages} page="jobs" params=${params} next=${found.next} />`}
    <//>
    ${page.error?.code === 'not-indexed' &&
    html`<p><a href=${href('type', { name: type, show: 'status-index' })}>Create the status index</a></p>`}
  <//>`;
}

export function Jobs({ params }) {
  const names = useLive(typeNames, [], 10_000);
  const first = names.value?.[0];
  useEffect(() => {
    if (!params.type && first) {
      go(href('jobs', { ...params, type: first }), { replace: true });
    }
  }, [params.type, first]);
  return html`<header class="title">
      <h1>Jobs</h1>
      <div class="actions"><${Enqueue} type=${params.type} /></div>
    </header>
    <${Loaded} from=${names}>
      ${(all) =>
        all.length === 0 && !params.type
          ? html`<p class="empty">No job was added yet.</p>`
          : html`<${Filters} params=${params} names=${params.type && !all.includes(params.type) ? [...all, params.type] : all} />`}
    <//>
    ${params.type && html`<${List} params=${params} />`}`;
}
