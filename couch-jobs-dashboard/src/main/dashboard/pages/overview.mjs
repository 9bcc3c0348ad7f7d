// What goes on in all types.

import { html } from '../html.mjs';
import { get } from '../api.mjs';
import { letters, LETTERS_MAX, pace, samples, types, TYPES_MAX } from '../data.mjs';
import { isoDuration, number, plural, rate, shortNumber } from '../format.mjs';
import { byError } from '../groups.mjs';
import { useLive } from '../live.mjs';
import { go, href } from '../router.mjs';
import { sum } from '../samples.mjs';
import { JobLink, Loaded, None, Problem, Section, Status, Time, TypeLink } from '../parts/basics.mjs';
import { Chart } from '../parts/chart.mjs';
import { StateBar, StateCount } from '../parts/counts.mjs';
import { Table } from '../parts/table.mjs';
import { WorkerTable } from '../parts/workers.mjs';

const SLOWLY = 10_000;

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

function Charts({ of, found }) {
  const type = found.some((one) => one.name === of) ? of : null;
  const { seconds, pending, running, perSecond } = samples.columns(type);
  const counts = type === null ? sum(found.map((one) => one.counts)) : found.find((one) => one.name === type).counts;
  const speed = samples.speed(type);
  const chosen = (event) => go(href('overview', { type: event.target.value }), { replace: true });
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

function TypeTable({ found }) {
  const count = (state, isWide) => ({
    head: state[0].toUpperCase() + state.slice(1),
    isNumber: true,
    isWide,
    cell: (type) => html`<${StateCount} type=${type.name} state=${state} count=${type.counts[state]} />`,
  });
  return html`<${Table}
    label="Types"
    rows=${found}
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
  />`;
}

function Failures({ from }) {
  return html`<${Section}
    id="failures"
    title="Failures by error"
    note=${from.value?.isCut
      ? `Of the newest ${LETTERS_MAX} dead letters of each type.`
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
        <${Charts} of=${params.type} found=${all} />
        <${Section}
          id="types"
          title="Types"
          note=${all.length === TYPES_MAX ? `The first ${TYPES_MAX} types.` : plural(all.length, 'type')}
        >
          <${TypeTable} found=${all} />
        <//>
        <${Failures} from=${failures} />
      `}
    <//>
    <${Section} id="workers" title="Workers">
      <${Loaded} from=${workers}>${(page) => html`<${WorkerTable} workers=${page.items} />`}<//>
    <//>`;
}
