// What goes on in all types.

import { html } from '../html.mjs';
import { get } from '../api.mjs';
import { letters, LETTERS_MAX, pace, samples, types, TYPES_MAX } from '../data.mjs';
import { duration, isoDuration, number, plural, rate, shortNumber } from '../format.mjs';
import { byError } from '../groups.mjs';
import { latencies, readLatencies } from '../latencies.mjs';
import { useLive } from '../live.mjs';
import { go, href } from '../router.mjs';
import { sum } from '../samples.mjs';
import { JobLink, Loaded, None, Problem, Section, Status, Time, TypeLink } from '../parts/basics.mjs';
import { Chart } from '../parts/chart.mjs';
import { StateBar, StateCount } from '../parts/counts.mjs';
import { Pages, Table } from '../parts/table.mjs';
import { WorkerTable } from '../parts/workers.mjs';

const SLOWLY = 10_000;
const ROWS = 100;

function Figure({ name, children, of }) {
  return html`<div class="figure">
    <dt>${name}</dt>
    <dd class=${of ? `is-${of}` : ''}>${children}</dd>
  </div>`;
}

function Figures({ total, speed, workers, health }) {
  const oldest = health?.due[0];
  const live = workers?.items.filter((worker) => worker.live);
  return html`<dl class="figures">
    <${Figure} name="Pending" of="pending">${shortNumber(total.pending)}<//>
    <${Figure} name="Running" of="running">${shortNumber(total.running)}<//>
    <${Figure} name="Ended per second">${speed === null ? html`<${None} text="…" />` : rate(speed)}<//>
    <${Figure} name="Failed for good" of=${total.failed > 0 ? 'failed' : ''}>${shortNumber(total.failed)}<//>
    <${Figure} name="Oldest due">
      ${oldest
        ? html`<a href=${href('job', { type: oldest.type, id: oldest.id })} aria-label=${`${isoDuration(oldest.dueFor)}: ${oldest.id}`}
            >${isoDuration(oldest.dueFor)}</a
          >`
        : html`<${None} text="none" />`}
    <//>
    <${Figure} name="Workers">${live ? `${number(live.length)}${workers.next ? '+' : ''}` : html`<${None} />`}<//>
    <${Figure} name="Slots in use">
      ${live
        ? `${number(live.reduce((all, one) => all + one.running, 0))} of ${number(
            live.reduce((all, one) => all + one.concurrency, 0),
          )}`
        : html`<${None} />`}
    <//>
  </dl>`;
}

/** What is wrong with the server, if something is. */
function Health({ of: { value, error } }) {
  if (error && error.status !== 403) {
    return html`<${Problem} error=${error} />`;
  }
  if (!value || value.status === 'up') {
    return null;
  }
  return html`<div class="problem" role="status">
    <strong>${value.status === 'down' ? 'The server is down.' : 'Not all is well.'}</strong>
    ${value.reasons.map((reason) => html`<p>${reason}</p>`)}
  </div>`;
}

function Charts({ params, found }) {
  const of = params.type;
  const type = found.some((one) => one.name === of) ? of : null;
  const { seconds, pending, running, perSecond } = samples.columns(type);
  const counts = type === null ? sum(found.map((one) => one.counts)) : found.find((one) => one.name === type).counts;
  const speed = samples.speed(type);
  const chosen = (event) => go(href('overview', { ...params, type: event.target.value }), { replace: true });
  return html`<${Section}
    id="charts"
    title="Depth and throughput"
    note="While this page is open. Ended jobs that are removed meanwhile are not counted."
    actions=${html`<label>
      <span class="hidden">Type of the charts</span>
      <select value=${type ?? ''} onChange=${chosen}>
        <option value="" selected=${type === null}>All types</option>
        ${found.map((one) => html`<option value=${one.name} selected=${one.name === type}>${one.name}</option>`)}
      </select>
    </label>`}
  >
    <div class="charts">
      <${Chart}
        title="Jobs"
        data=${[seconds, pending, running]}
        format=${shortNumber}
        series=${[
          { name: 'pending', colour: '--pending', value: number(counts.pending), isFilled: true },
          { name: 'running', colour: '--running', value: number(counts.running) },
        ]}
      />
      <${Chart}
        title="Ended"
        data=${[seconds, perSecond]}
        format=${number}
        series=${[
          { name: 'per second', colour: '--succeeded', value: speed === null ? '…' : rate(speed), isFilled: true },
        ]}
      />
    </div>
  <//>`;
}

const LATENCIES = [
  ['wait', 'Wait until the first claim'],
  ['run', 'Run time of an attempt'],
];

function LatencyCharts({ type, now }) {
  const text = (millis) => (millis === null ? '…' : duration(millis));
  return html`<div class="charts">
    ${LATENCIES.map(([kind, title]) => {
      const { seconds, median, high } = latencies.columns(type, kind, now);
      const latest = latencies.latest(type, kind, now);
      return html`<${Chart}
        key=${kind}
        title=${title}
        data=${[seconds, median, high]}
        format=${duration}
        series=${[
          { name: 'p50', colour: '--running', value: text(latest.median), hasPoints: true },
          { name: 'p95', colour: '--expired', value: text(latest.high), hasPoints: true },
        ]}
      />`;
    })}
  </div>`;
}

/** What waits longer than the page is open has no sample yet: the oldest due job tells of it. */
function Latency({ params, found }) {
  const now = useLive(readLatencies, [], 2000, false);
  const type = found.some((one) => one.name === params.type) ? params.type : null;
  return html`<${Section}
    id="latency"
    title="Latency"
    note=${html`${type === null ? 'Of all types' : html`Of <span class="id">${type}</span>`}: sampled from jobs that are
    added or end while a page like this is open. The figures are of the last minute.`}
  >
    <${Loaded} from=${now}>${(at) => html`<${LatencyCharts} type=${type} now=${at} />`}<//>
  <//>`;
}

function TypeTable({ found, params }) {
  const from = Math.max(0, Number(params.from) || 0);
  const next = from + ROWS < found.length ? from + ROWS : null;
  const count = (state, isWide) => ({
    head: state[0].toUpperCase() + state.slice(1),
    isNumber: true,
    isWide,
    cell: (type) => html`<${StateCount} type=${type.name} state=${state} count=${type.counts[state]} />`,
  });
  return html`<${Table}
      label="Types"
      rows=${found.slice(from, from + ROWS)}
      keyOf=${(type) => type.name}
      empty="No job was added yet."
      columns=${[
        {
          head: 'Type',
          isMain: true,
          cell: (type) =>
            html`<${TypeLink} type=${type.name} /> ${type.pause && html`<${Status} of="paused" />`}`,
        },
        { head: 'States', isWide: true, cell: (type) => html`<${StateBar} counts=${type.counts} />` },
        count('pending'),
        count('blocked', true),
        count('running'),
        count('succeeded', true),
        count('failed'),
        count('cancelled', true),
        count('expired', true),
        {
          head: 'Ended/s',
          isNumber: true,
          isWide: true,
          cell: (type) => {
            const speed = samples.speed(type.name);
            return speed === null ? html`<${None} text="…" />` : rate(speed);
          },
        },
      ]}
    />
    <${Pages} page="overview" params=${params} next=${next} name="from" />`;
}

function Failures({ from }) {
  return html`<${Section}
    id="failures"
    title="Failures by error"
    note=${from.value?.isCut
      ? `Of the newest ${LETTERS_MAX} dead letters of each type, in the types with most of them.`
      : 'Of all dead letters. Numbers and ids in errors are shown as #.'}
  >
    <${Loaded} from=${from}>
      ${({ items }) =>
        html`<${Table}
          label="Failures by error"
          rows=${byError(items)}
          keyOf=${(group) => group.key}
          empty="No job has failed for good."
          columns=${[
            { head: 'Jobs', isNumber: true, cell: (group) => number(group.count) },
            { head: 'Error', isMain: true, cell: (group) => html`<span class="error-text">${group.key}</span>` },
            {
              head: 'Types',
              cell: (group) =>
                [...group.types].map(
                  ([type, count]) =>
                    html`<span class="each"><${TypeLink} type=${type} />${' '}<span class="note">${number(count)}</span></span>`,
                ),
            },
            {
              head: 'Last',
              isWide: true,
              cell: ({ last }) =>
                html`<${JobLink} type=${last.type} id=${last.id} />${' '}<span class="note"><${Time} at=${last.failedAt} /></span>`,
            },
          ]}
        />`}
    <//>
  <//>`;
}

export function Overview({ params }) {
  const found = useLive(types, [], pace);
  const workers = useLive((signal) => get('v1/workers', { query: { limit: 1000 }, signal }), [], 5000, false);
  const health = useLive((signal) => get('v1/health', { signal }), [], 5000, false);
  const failing = (found.value ?? []).map((type) => `${type.name} ${type.counts.failed}`).join();
  const failures = useLive((signal) => letters(found.value ?? [], signal), [failing], SLOWLY);
  return html`<h1>Overview</h1>
    <${Loaded} from=${found}>
      ${(all) => html`
        <${Figures} total=${sum(all.map((type) => type.counts))} speed=${samples.speed()} workers=${workers.value} health=${health.value} />
        <${Health} of=${health} />
        <${Charts} params=${params} found=${all} />
        <${Latency} params=${params} found=${all} />
        <${Section}
          id="types"
          title="Types"
          note=${all.length === TYPES_MAX ? `The first ${TYPES_MAX} types.` : plural(all.length, 'type')}
        >
          <${TypeTable} found=${all} params=${params} />
        <//>
        <${Failures} from=${failures} />
      `}
    <//>
    <${Section} id="workers" title="Workers">
      <${Loaded} from=${workers}>${(page) => html`<${WorkerTable} workers=${page.items} />`}<//>
    <//>`;
}
