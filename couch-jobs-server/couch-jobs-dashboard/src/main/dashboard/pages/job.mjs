// A job: its fields, attempts, payloads, log and dependencies, and what can be done with it.

import { html } from '../html.mjs';
import { find, get, getText, path, send } from '../api.mjs';
import { ago, duration, localTime, number } from '../format.mjs';
import { jobBoxes, statusOf } from '../graph.mjs';
import { elements, member } from '../json.mjs';
import { useLive } from '../live.mjs';
import { go, href } from '../router.mjs';
import { Copy, ErrorText, Facts, JobLink, Loaded, None, Section, Status, Time, TypeLink, useNow } from '../parts/basics.mjs';
import { Ask } from '../parts/dialog.mjs';
import { Graph } from '../parts/graph.mjs';
import { Content, Json } from '../parts/payload.mjs';
import { Pages, Table } from '../parts/table.mjs';

const ENTRIES = 100;
const DEPENDENCIES = 100;

/** The payloads stay text: a JSON number may have more digits than a number of the browser. */
function jobOf(text) {
  return { ...JSON.parse(text), data: member(text, 'data'), result: member(text, 'result') };
}

async function logOf(url, after, signal) {
  const text = await getText(`${url}/log`, { query: { limit: ENTRIES, after }, signal });
  return elements(member(text, 'items')).map((item) => ({ ...JSON.parse(item), entry: member(item, 'entry') }));
}

/** How often the job was released after its work had begun, as a text; empty if it never was. */
function releases(job) {
  return [
    [job.releases.shutdown, 'at shutdown'],
    [job.releases.out_of_memory, 'without memory'],
  ]
    .filter(([times]) => times > 0)
    .map(([times, why]) => `${number(times)} ${why}`)
    .join(', ');
}

function Payload({ job, name }) {
  return job[name] === undefined
    ? html`<${Content} base64=${job[`${name}Bytes`]} mediaType=${job[`${name}MediaType`]} />`
    : html`<${Json} text=${job[name]} what=${`the ${name}`} />`;
}

function Actions({ job, url }) {
  const { type, id, state, outcome } = job;
  const isPending = state === 'pending';
  const isOver = state === 'finished';
  const change = (method, of, body, done, otherwise) => async () => {
    const { changed } = await send(method, of, body);
    return changed ? done : otherwise;
  };
  const late = 'Nothing was changed: the job is not in that state any more.';
  return html`
    ${outcome === 'failed' &&
    html`<${Ask}
      title=${`Retry ${id}?`}
      text="The job is pending again, with all of its attempts."
      run=${change('POST', path`v1/types/${type}/dead-letters/${id}/retry`, undefined, `${id} is pending again.`, late)}
      >Retry<//
    >`}
    ${isPending &&
    html`<${Ask}
        title=${`Run ${id} now?`}
        text="The job is due at once, before its time."
        run=${change('POST', `${url}/run-now`, undefined, `${id} is due.`, late)}
        >Run now<//
      >
      <${Ask}
        title=${`Reschedule ${id}?`}
        confirm="Reschedule"
        fields=${[{ name: 'at', label: 'Time', type: 'datetime-local', step: 1, required: true, hint: 'In your time zone.' }]}
        run=${({ at }) =>
          change('POST', `${url}/reschedule`, { at: new Date(at).toISOString() }, `${id} has another time.`, late)()}
        >Reschedule…<//
      >`}
    ${!isOver &&
    html`<${Ask}
        title=${`Reprioritise ${id}?`}
        confirm="Reprioritise"
        fields=${[
          { name: 'priority', label: 'Priority', type: 'number', value: job.priority, required: true, hint: 'Higher ones run first.' },
        ]}
        run=${({ priority }) =>
          change('POST', `${url}/reprioritise`, { priority: Number(priority) }, `${id} has priority ${priority}.`, late)()}
        >Reprioritise…<//
      >
      <${Ask}
        isDangerous
        title=${`Cancel ${id}?`}
        text=${isPending ? 'The job does not run.' : 'The worker is told, and what it still writes through the job fails.'}
        confirm="Cancel the job"
        fields=${[{ name: 'reason', label: 'Reason', maxLength: 1000 }]}
        run=${({ reason }) => change('POST', `${url}/cancel`, { reason }, `${id} is cancelled.`, late)()}
        >Cancel…<//
      >`}
    <${Ask}
      isDangerous
      title=${`Remove ${id}?`}
      text="The job is gone for good, with its data, result and log. A worker that holds it loses its claim."
      confirm="Remove the job"
      run=${async () => {
        const { changed } = await send('DELETE', url);
        go(href('jobs', { type }));
        return changed ? `${id} is removed.` : late;
      }}
      >Remove…<//
    >
  `;
}

function Progress({ url, isRunning }) {
  const progress = useLive((signal) => find(`${url}/progress`, { signal }), [url], isRunning ? 1000 : 5000, false);
  if (!progress.value) {
    return null;
  }
  const { done, total, text, at } = progress.value;
  return html`<div class="progress">
    ${total > 0 && html`<progress max=${total} value=${done} aria-label="Progress"></progress>`}
    <span>${number(done)}${total > 0 && ` of ${number(total)}`} ${text}</span>
    <span class="note"><${Time} at=${at} /></span>
  </div>`;
}

/** Each attempt as a line, with its time to scale. */
function Timeline({ attempts }) {
  const now = useNow();
  const end = (attempt) => (attempt.until ? Date.parse(attempt.until) : now);
  const first = Math.min(...attempts.map((attempt) => Date.parse(attempt.since)));
  const span = Math.max(1, Math.max(...attempts.map(end)) - first);
  const percent = (millis) => `${(100 * millis) / span}%`;
  return html`<ol class="timeline">
    ${attempts.map((attempt) => {
      const since = Date.parse(attempt.since);
      const length = Math.max(0, end(attempt) - since);
      const how = attempt.end ?? 'running';
      return html`<li key=${attempt.claim}>
        <span class="claim">${number(attempt.claim)}</span>
        <${Status} of=${how} />
        <span class="id holder">${attempt.by}</span>
        <span class="number">${duration(length)}</span>
        <time datetime=${attempt.since} title=${localTime(attempt.since)}>${ago(attempt.since, now)}</time>
        <span class="track" aria-hidden="true"
          ><i class=${`fill-${how}`} style=${{ marginLeft: percent(since - first), width: percent(length) }}></i
        ></span>
        ${attempt.error && html`<${ErrorText} error=${attempt.error} />`}
      </li>`;
    })}
  </ol>`;
}

/** The server says why the job waits: this page decides nothing of that. */
function Why({ url, job }) {
  const reason = useLive((signal) => get(`${url}/why`, { signal }), [url, job.state, job.claims], 5000);
  return reason.value && html`<p class="why">${reason.value.text}</p>`;
}

function Attempts({ url, job }) {
  const kept = useLive((signal) => get(`${url}/attempts`, { signal }), [url, job.claims, job.state]);
  return html`<${Section} id="attempts" title="Attempts" note="The last ones are kept.">
    <${Loaded} from=${kept}>
      ${({ items }) =>
        items.length === 0
          ? html`<p class="empty">No attempt is kept.</p>`
          : html`<${Timeline} attempts=${items} />`}
    <//>
  <//>`;
}

function Log({ url, params, isRunning }) {
  const after = params.after;
  const log = useLive((signal) => logOf(url, after, signal), [url, after], isRunning ? 1000 : 5000, false);
  const next = log.value?.length === ENTRIES ? log.value.at(-1).number : null;
  return html`<${Section} id="log" title="Log">
    <${Loaded} from=${log}>
      ${(entries) => html`<${Table}
          label="Log"
          rows=${entries}
          keyOf=${(entry) => entry.number}
          empty="Nothing was logged."
          columns=${[
            { head: 'No.', isNumber: true, cell: (entry) => number(entry.number) },
            { head: 'Attempt', isNumber: true, isWide: true, cell: (entry) => number(entry.claim) },
            { head: 'At', cell: (entry) => html`<${Time} at=${entry.at} />` },
            {
              head: 'Entry',
              isMain: true,
              cell: ({ kind, entry }) =>
                html`${kind === 'checkpoint' && html`<${Status} of="checkpoint" />${' '}`}${entry === undefined ? html`<${None} text="hidden" />` : html`<code class="id">${entry}</code>`}`,
            },
          ]}
        />
        <${Pages} page="job" params=${params} next=${next} />`}
    <//>
  <//>`;
}

function useJobs(url, of, after) {
  const query = { limit: DEPENDENCIES, after };
  return useLive((signal) => get(`${url}/${of}`, { query, signal }), [url, of, after], 5000);
}

function JobList({ id, title, label, page, params, name, policy }) {
  return html`<${Section} id=${id} title=${title}>
    <${Loaded} from=${page}>
      ${({ items, next }) => html`<${Table}
          label=${label}
          rows=${items}
          keyOf=${(one) => `${one.type} ${one.id}`}
          columns=${[
            { head: 'Type', cell: (one) => html`<${TypeLink} type=${one.type} />` },
            { head: 'Id', isMain: true, cell: (one) => html`<${JobLink} type=${one.type} id=${one.id} />` },
            { head: 'State', cell: (one) => html`<${Status} of=${statusOf(one)} />` },
            { head: policy, cell: (one) => one.ifUnsuccessful },
          ]}
        />
        <${Pages} page="job" params=${params} next=${next} name=${name} />`}
    <//>
  <//>`;
}

function boxes(page) {
  return jobBoxes(page, ({ type, id }) => href('job', { type, id }));
}

/** What the job waits for, and what waits for it: as a graph, and as lists. */
function Dependencies({ job, url, params }) {
  const before = useJobs(url, 'dependencies', params.from);
  const after = useJobs(url, 'dependents', params.to);
  const has = (page, name) => page.value && (page.value.items.length > 0 || params[name]);
  const isBefore = has(before, 'from');
  const isAfter = has(after, 'to');
  if (!isBefore && !isAfter && !job.batch) {
    return null;
  }
  const batch = job.batch && {
    key: 'the batch', head: 'batch', text: job.batch, href: href('batches', { name: job.batch }),
  };
  const none = { items: [] };
  return html`<${Section} id="graph" title="Dependencies and batch">
      <${Graph}
        label="The job between those that it waits for, and those that wait for it"
        left=${boxes(before.value ?? none)}
        middle=${{ key: 'this job', head: job.type, text: job.id, status: statusOf(job) }}
        right=${[...boxes(after.value ?? none), ...(batch ? [batch] : [])]}
      />
    <//>
    ${(isBefore || isAfter) &&
    html`<div class="halves">
      ${isBefore &&
      html`<${JobList}
        id="dependencies"
        title="Waits for"
        label="Jobs that this one waits for"
        page=${before}
        params=${params}
        name="from"
        policy="If it does not succeed"
      />`}
      ${isAfter &&
      html`<${JobList}
        id="dependents"
        title="Waited for by"
        label="Jobs that wait for this one"
        page=${after}
        params=${params}
        name="to"
        policy="If this one does not succeed"
      />`}
    </div>`}`;
}

function Found({ job, url, params }) {
  const { type, id } = job;
  const isRunning = job.state === 'running';
  return html`<header class="title">
      <p class="crumbs"><a href=${href('jobs', { type })}>Jobs</a> / <${TypeLink} type=${type} /></p>
      <h1 class="id">${id}</h1>
      <${Copy} text=${id} what="the id" />
      <${Status} of=${statusOf(job)} />
      <div class="actions"><${Actions} job=${job} url=${url} /></div>
    </header>
    ${job.error &&
    html`<div class="problem" role="group" aria-label="Error"><${ErrorText} error=${job.error} /></div>`}
    ${job.state === 'pending' && html`<${Why} url=${url} job=${job} />`}
    ${job.claims > 0 && html`<${Progress} url=${url} isRunning=${isRunning} />`}
    <${Section} id="fields" title="Job">
      <${Facts}
        items=${[
          ['State', job.outcome ? `${job.state}, ${job.outcome}` : job.state],
          ['Scheduled', job.scheduledTime && html`<${Time} at=${job.scheduledTime} />`],
          ['Start before', job.startBefore && html`<${Time} at=${job.startBefore} />`],
          ['Ended', job.endedAt && html`<${Time} at=${job.endedAt} />`],
          ['Removal', job.removeAt && html`<${Time} at=${job.removeAt} />`],
          ['Priority', number(job.priority)],
          ['Claims', number(job.claims)],
          ['Descent', job.descent && number(job.descent)],
          ['Failures', number(job.failures)],
          ['Releases', releases(job)],
          ['Resubmitted', job.resubmitted ? 'yes' : ''],
          ['Limit key', job.limitKey && html`<a class="id" href=${href('type', { name: type, key: job.limitKey })}>${job.limitKey}</a>`],
          ['Turn key', job.turnKey && html`<span class="id">${job.turnKey}</span>`],
          ['Sequence', job.sequence && html`<span class="id">${job.sequence}</span>`],
          ['Unique key', job.uniqueKey && html`<span class="id">${job.uniqueKey}</span>`],
          ['Batch', job.batch && html`<a class="id" href=${href('batches', { name: job.batch })}>${job.batch}</a>`],
          [
            'Tags',
            job.tags.length > 0 &&
              job.tags.map((tag) => html`<a class="tag id" href=${href('jobs', { type, tag })}>${tag}</a>`),
          ],
        ].map(([name, value]) => [name, value || ''])}
      />
    <//>
    ${job.headers &&
    Object.keys(job.headers).length > 0 &&
    html`<${Section} id="headers" title="Headers">
      <${Facts} items=${Object.entries(job.headers).map(([name, value]) => [name, html`<span class="id">${value}</span>`])} />
    <//>`}
    <div class="halves">
      <${Section} id="data" title="Data">
        ${job.hidden
          ? html`<p class="empty">Data and result are hidden from this caller.</p>`
          : html`<${Payload} job=${job} name="data" />`}
      <//>
      ${(job.result !== undefined || job.resultBytes !== undefined) &&
      html`<${Section} id="result" title="Result"><${Payload} job=${job} name="result" /><//>`}
    </div>
    <${Attempts} url=${url} job=${job} />
    <${Log} url=${url} params=${params} isRunning=${isRunning} />
    <${Dependencies} job=${job} url=${url} params=${params} />`;
}

export function Job({ params }) {
  const { type = '', id = '' } = params;
  const job = useLive(
    async (signal) => jobOf(await getText(path`v1/types/${type}/jobs/${id}`, { signal })),
    [type, id],
  );
  const isGone = job.error && job.value === null;
  return html`${isGone && html`<h1 class="id">${id}</h1>`}
    <${Loaded} from=${job}>
      ${(found) => html`<${Found} job=${found} url=${path`v1/types/${type}/jobs/${id}`} params=${params} />`}
    <//>
    ${isGone && html`<p><a href=${href('jobs', { type })}>The jobs of this type</a></p>`}`;
}
