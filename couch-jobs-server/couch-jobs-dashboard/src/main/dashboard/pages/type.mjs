// A type: what slows it, and its jobs that have failed for good.

import { html, useEffect } from '../html.mjs';
import { get, path, send } from '../api.mjs';
import { LETTERS_MAX } from '../data.mjs';
import { isoDuration, isoMillis, limitRate, number, plural, retention as retentionText } from '../format.mjs';
import { useLive } from '../live.mjs';
import { go, href } from '../router.mjs';
import { ErrorText, Facts, JobLink, Loaded, Section, Status, Time } from '../parts/basics.mjs';
import { StateBar, StateCount } from '../parts/counts.mjs';
import { Ask } from '../parts/dialog.mjs';
import { Pages, Table } from '../parts/table.mjs';

const LIMIT = 100;
const HOUR_MILLIS = 3_600_000;
const STANDARD_RETENTION = { ended: 'P7D', failed: 'P90D', archived: false };
const STATES = ['pending', 'blocked', 'running', 'succeeded', 'failed', 'cancelled', 'expired'];

function seconds(text) {
  return `PT${text}S`;
}

/** Fields of a rate; without starts there is none. */
function rateFields(rate) {
  return [
    { name: 'starts', label: 'Starts in a period', type: 'number', min: 1, max: 1_000_000, value: rate?.starts, hint: 'Empty: no rate.' },
    {
      name: 'period',
      label: 'Period in seconds',
      type: 'number',
      min: 0.001,
      step: 'any',
      value: rate ? isoMillis(rate.period) / 1000 : 1,
    },
    {
      name: 'burst',
      label: 'Burst',
      type: 'number',
      min: 0,
      max: 1_000_000,
      value: rate?.burst ?? 0,
      hint: '0: so many starts in each window. More: evenly, and so many at once.',
    },
  ];
}

function maxField(max) {
  return { name: 'max', label: 'Jobs that run at once', type: 'number', min: 1, max: 2_147_483_647, value: max, hint: 'Empty: no limit.' };
}

/** The limits that a form asks for, as the API takes them. */
function limitsOf({ max, starts, period, burst, weight }) {
  return {
    ...(max && { max: Number(max) }),
    ...(starts && { rate: { starts: Number(starts), period: seconds(period), burst: Number(burst) } }),
    ...(weight && { weight: Number(weight) }),
  };
}

function hours(time) {
  return time && isoMillis(time) / HOUR_MILLIS;
}

/** Fields of a retention; without one those of types whose code says nothing. */
function retentionFields(retention = STANDARD_RETENTION) {
  const field = { type: 'number', min: 0, max: 876_000, step: 'any', hint: 'Empty: until they are removed.' };
  return [
    { ...field, name: 'ended', label: 'Hours after the end', value: hours(retention.ended) },
    { ...field, name: 'failed', label: 'Hours after the end, if they failed', value: hours(retention.failed) },
    { name: 'archived', label: 'Only once an archive has them', type: 'checkbox', value: retention.archived },
  ];
}

function retentionOf({ ended, failed, archived }) {
  const time = (text) => seconds(Math.round(Number(text) * 3600));
  return { ...(ended && { ended: time(ended) }), ...(failed && { failed: time(failed) }), archived: archived === 'on' };
}

function Claims({ type, url }) {
  const { name, pause, timeout, retention, limits } = type;
  return html`<${Section}
    id="claims"
    title="Claims"
    note=${pause ? html`<${Status} of="paused" />` : html`<${Status} of="active" />`}
    actions=${html`
      ${pause
        ? html`<${Ask}
            title=${`Resume ${name}?`}
            text="Workers claim its jobs again."
            run=${async () => {
              await send('POST', `${url}/resume`);
              return `${name} goes on.`;
            }}
            >Resume<//
          >`
        : html`<${Ask}
            title=${`Pause ${name}?`}
            text=${`Workers claim no more of its ${plural(type.counts.pending, 'pending job')}. What runs goes on.`}
            confirm="Pause"
            fields=${[{ name: 'reason', label: 'Reason', maxLength: 1000 }]}
            run=${async ({ reason }) => {
              await send('POST', `${url}/pause`, { reason });
              return `${name} is paused.`;
            }}
            >Pause…<//
          >`}
      <${Ask}
        title=${`Limits of ${name}`}
        confirm="Set"
        text="For all of its jobs, on all workers together."
        fields=${[maxField(limits.max), ...rateFields(limits.rate)]}
        run=${async (values) => {
          await send('PUT', `${url}/limits`, limitsOf(values));
          return `The limits of ${name} are set.`;
        }}
        >Limits…<//
      >
      <${Ask}
        title=${`Timeout of ${name}`}
        confirm="Set"
        text="How long a worker may be silent before its claim expires."
        fields=${[
          {
            name: 'timeout',
            label: 'Seconds',
            type: 'number',
            min: 0.001,
            step: 'any',
            value: timeout ? isoMillis(timeout) / 1000 : 30,
            required: true,
          },
        ]}
        run=${async (values) => {
          await send('PUT', `${url}/timeout`, { timeout: seconds(values.timeout) });
          return `The timeout of ${name} is set.`;
        }}
        >Timeout…<//
      >
      <${Ask}
        title=${`Retention of ${name}`}
        confirm="Set"
        text="How long jobs are kept that end from now on. Those that have ended keep the time of their removal."
        fields=${retentionFields(retention)}
        run=${async (values) => {
          await send('PUT', `${url}/retention`, retentionOf(values));
          return `The retention of ${name} is set.`;
        }}
        >Retention…<//
      >
      ${retention &&
      html`<${Ask}
        title=${`Clear the retention of ${name}?`}
        text="Jobs that end from now on are kept as the code says."
        confirm="Clear"
        run=${async () => {
          await send('DELETE', `${url}/retention`);
          return `The code sets the retention of ${name}.`;
        }}
        >Clear retention…<//
      >`}
    `}
  >
    <${Facts}
      items=${[
        pause && ['Paused', html`<${Time} at=${pause.since} />`],
        pause && ['Reason', pause.reason || '–'],
        ['Timeout', timeout ? isoDuration(timeout) : 'none yet'],
        ['Running', number(limits.running)],
        ['Limit', limits.max ? number(limits.max) : 'none'],
        ['Rate', limits.rate ? limitRate(limits.rate) : 'none'],
        ['Retention', retention ? `${retentionText(retention)}; stored` : 'set in code'],
      ]}
    />
  <//>`;
}

function Counts({ type }) {
  return html`<${Section} id="counts" title="Jobs" note=${plural(type.counts.total, 'job')}>
    <${StateBar} counts=${type.counts} />
    <${Facts}
      items=${STATES.map((state) => [
        state[0].toUpperCase() + state.slice(1),
        html`<${StateCount} type=${type.name} state=${state} count=${type.counts[state]} />`,
      ])}
    />
  <//>`;
}

async function statusCounts(url, signal) {
  try {
    return await get(`${url}/status-index`, { signal });
  } catch (error) {
    if (error.code === 'not-indexed') {
      return {};
    }
    throw error;
  }
}

function StatusIndex({ name, url }) {
  const counts = useLive((signal) => statusCounts(url, signal), [url], 5000);
  const isThere = counts.value && Object.keys(counts.value).length > 0;
  return html`<${Section}
    id="status-index"
    title="Status index"
    note="With it, jobs are counted and listed by status."
    actions=${counts.value &&
    (isThere
      ? html`<${Ask}
          isDangerous
          title=${`Drop the status index of ${name}?`}
          run=${async () => {
            await send('DELETE', `${url}/status-index`);
            return `${name} has no status index any more.`;
          }}
          >Drop<//
        >`
      : html`<${Ask}
          title=${`Create the status index of ${name}?`}
          text="It is written for all jobs of the type; with many of them that takes a while. Each job then costs a little more."
          run=${async () => {
            await send('PUT', `${url}/status-index`);
            return `${name} has a status index.`;
          }}
          >Create<//
        >`)}
  >
    <${Loaded} from=${counts}>
      ${(found) =>
        isThere
          ? html`<${Facts}
              items=${Object.entries(found)
                .filter(([, count]) => count > 0)
                .map(([status, count]) => [
                  html`<${Status} of=${status} />`,
                  html`<a href=${href('jobs', { type: name, status })} aria-label=${`${number(count)} ${status}`}
                    >${number(count)}</a
                  >`,
                ])}
            />`
          : html`<p class="empty">The type has none.</p>`}
    <//>
  <//>`;
}

function Key({ name, url, of }) {
  const keyUrl = url + path`/limit-keys/${of}`;
  const limits = useLive((signal) => get(keyUrl, { signal }), [keyUrl], 2000, false);
  const act = (verb, done) => async () => {
    await send('POST', `${keyUrl}/${verb}`);
    return done;
  };
  return html`<${Loaded} from=${limits}>
    ${(found) =>
      html`<div class="inset">
        <h3 class="id">${of}</h3>
        ${found.paused && html`<${Status} of="paused" />`}
        <div class="actions">
          ${found.paused
            ? html`<${Ask} title=${`Resume the key ${of}?`} run=${act('resume', `Jobs with the key ${of} are claimed again.`)}>Resume<//>`
            : html`<${Ask}
                title=${`Pause the key ${of}?`}
                text="Jobs with this limit key are not claimed until it is resumed."
                run=${act('pause', `The key ${of} is paused.`)}
                >Pause<//
              >`}
          <${Ask}
            title=${`Limits of the key ${of}`}
            confirm="Set"
            text=${`Of ${name}. What is empty is as for keys without any.`}
            fields=${[
              maxField(found.max),
              ...rateFields(found.rate),
              { name: 'weight', label: 'Weight', type: 'number', min: 1, max: 1000, value: found.weight, hint: 'Its share of the turns.' },
            ]}
            run=${async (values) => {
              await send('PUT', keyUrl, limitsOf(values));
              return `The limits of the key ${of} are set.`;
            }}
            >Limits…<//
          >
        </div>
        <${Facts}
          items=${[
            ['Slots taken', number(found.taken)],
            ['Limit', found.max ? number(found.max) : 'none'],
            ['Rate', found.rate ? limitRate(found.rate) : 'none'],
            ['Weight', number(found.weight)],
          ]}
        />
      </div>`}
  <//>`;
}

function LimitKeys({ params, url }) {
  const { name, key } = params;
  const paused = useLive((signal) => get(`${url}/limit-keys`, { query: { limit: LIMIT }, signal }), [url], 5000, false);
  const chosen = (event) => {
    event.preventDefault();
    go(href('type', { ...params, key: new FormData(event.target).get('key') }));
  };
  return html`<${Section}
    id="limit-keys"
    title="Limit keys"
    actions=${html`<${Ask}
      title=${`Limit of each key of ${name}`}
      confirm="Set"
      text="For keys without a limit of their own."
      fields=${[maxField()]}
      run=${async ({ max }) => {
        await (max ? send('PUT', `${url}/limit-keys`, { max: Number(max) }) : send('DELETE', `${url}/limit-keys`));
        return max ? `Of each key ${plural(Number(max), 'job')} at once.` : 'Keys without a limit of their own have none.';
      }}
      >Limit of each key…<//
    >`}
  >
    <form class="filters" role="search" aria-label="Limit keys" key=${key} onSubmit=${chosen}>
      <div class="field">
        <label for="key">Limit key</label>
        <input id="key" name="key" defaultValue=${key ?? ''} required autocomplete="off" />
      </div>
      <button type="submit">Show</button>
    </form>
    ${key && html`<${Key} key=${key} name=${name} url=${url} of=${key} />`}
    <${Loaded} from=${paused}>
      ${({ items, next }) =>
        html`<p class="note">
          ${items.length === 0 ? 'No key is paused.' : `Paused${next ? `, the first ${LIMIT}` : ''}: `}
          ${items.map(
            (one) => html`<a class="tag id" href=${href('type', { ...params, key: one.key })}>${one.key}</a>`,
          )}
        </p>`}
    <//>
  <//>`;
}

function DeadLetters({ type, params, url }) {
  const { name } = type;
  const { after } = params;
  const query = { limit: LETTERS_MAX, newestFirst: true, after };
  const page = useLive((signal) => get(`${url}/dead-letters`, { query, signal }), [url, after, type.counts.failed], 5000);
  const count = type.counts.failed;
  return html`<${Section}
    id="dead-letters"
    title="Dead letters"
    note="Jobs that have failed for good, the newest first."
    actions=${count > 0 &&
    html`<${Ask}
      title=${`Retry all ${plural(count, 'dead letter')} of ${name}?`}
      text="Each of them is pending again, with all of its attempts."
      confirm=${`Retry ${number(count)}`}
      run=${async () => {
        const done = await send('POST', `${url}/dead-letters/retry`);
        return `${plural(done.count, 'job')} pending again.`;
      }}
      >Retry all…<//
    >`}
  >
    <${Loaded} from=${page}>
      ${({ items, next }) => html`<${Table}
          label="Dead letters"
          rows=${items}
          keyOf=${(letter) => letter.id}
          empty="No job has failed for good."
          columns=${[
            { head: 'Id', isMain: true, cell: (letter) => html`<${JobLink} type=${name} id=${letter.id} />` },
            { head: 'Failed', cell: (letter) => html`<${Time} at=${letter.failedAt} />` },
            { head: 'Failures', isNumber: true, isWide: true, cell: (letter) => number(letter.failures) },
            { head: 'Error', cell: (letter) => html`<${ErrorText} error=${letter.error} />` },
            {
              head: 'Actions',
              cell: ({ id }) =>
                html`<${Ask}
                  isSmall
                  label=${`Retry ${id}`}
                  title=${`Retry ${id}?`}
                  text="The job is pending again, with all of its attempts."
                  run=${async () => {
                    const { changed } = await send('POST', url + path`/dead-letters/${id}/retry`);
                    return changed ? `${id} is pending again.` : 'Nothing was changed: the job is no dead letter any more.';
                  }}
                  >Retry<//
                >`,
            },
          ]}
        />
        <${Pages} page="type" params=${params} next=${next} />`}
    <//>
  <//>`;
}

function Quarantine({ name, params, url }) {
  const query = { limit: LIMIT, after: params.rows };
  const page = useLive((signal) => get(`${url}/quarantine`, { query, signal }), [url, params.rows], 5000, false);
  const change = (method, id, verb, done) => async () => {
    const { changed } = await send(method, url + path`/quarantine/${id}` + verb);
    return changed ? done : 'Nothing was changed: the row is not there any more.';
  };
  return html`<${Section} id="quarantine" title="Quarantine" note="Rows that cannot be read.">
    <${Loaded} from=${page}>
      ${({ items, next }) => html`<${Table}
          label="Quarantine"
          rows=${items}
          keyOf=${(row) => row.id}
          empty="No row is in quarantine."
          columns=${[
            { head: 'Row', isMain: true, cell: ({ row }) => html`<code class="id">${row}</code>` },
            { head: 'Reason', cell: ({ reason }) => html`<span class="error-text">${reason}</span>` },
            {
              head: 'Actions',
              cell: ({ id, row }) =>
                html`<span class="actions">
                  <${Ask}
                    isSmall
                    label=${`Restore ${row}`}
                    title=${`Restore the row ${row} of ${name}?`}
                    text="The row goes back where it was. If it still cannot be read, it returns."
                    run=${change('POST', id, '/restore', 'The row is back.')}
                    >Restore<//
                  >
                  <${Ask}
                    isSmall
                    isDangerous
                    label=${`Remove ${row}`}
                    title=${`Remove the row ${row} of ${name}?`}
                    text="It is gone for good."
                    run=${change('DELETE', id, '', 'The row is removed.')}
                    >Remove<//
                  >
                </span>`,
            },
          ]}
        />
        <${Pages} page="type" params=${params} next=${next} name="rows" />`}
    <//>
  <//>`;
}

function Found({ type, params, url }) {
  const { show } = params;
  useEffect(() => {
    document.getElementById(show)?.scrollIntoView();
  }, [show]);
  return html`<div class="halves">
      <${Counts} type=${type} />
      <${Claims} type=${type} url=${url} />
    </div>
    <${DeadLetters} type=${type} params=${params} url=${url} />
    <div class="halves">
      <${StatusIndex} name=${type.name} url=${url} />
      <${LimitKeys} params=${params} url=${url} />
    </div>
    <${Quarantine} name=${type.name} params=${params} url=${url} />`;
}

export function Type({ params }) {
  const { name = '' } = params;
  const type = useLive((signal) => get(path`v1/types/${name}`, { signal }), [name], 2000, false);
  return html`<header class="title">
      <p class="crumbs"><a href=${href('types')}>Types</a></p>
      <h1 class="id">${name}</h1>
      <div class="actions"><a class="button" href=${href('jobs', { type: name })}>Jobs</a></div>
    </header>
    <${Loaded} from=${type}>
      ${(found) => html`<${Found} type=${found} params=${params} url=${path`v1/types/${name}`} />`}
    <//>`;
}
