// What runs again and again.

import { html } from '../html.mjs';
import { get, path, send } from '../api.mjs';
import { duration, localTime } from '../format.mjs';
import { useLive } from '../live.mjs';
import { href } from '../router.mjs';
import { ErrorText, JobLink, Loaded, None, Section, Status, Time, TypeLink } from '../parts/basics.mjs';
import { Ask } from '../parts/dialog.mjs';
import { Pages, Table } from '../parts/table.mjs';

const LIMIT = 100;
const FIRINGS = 5;

function Actions({ schedule: { name, paused } }) {
  const post = (verb, done) => async () => {
    await send('POST', path`v1/schedules/${name}/${verb}`);
    return done;
  };
  return html`<span class="actions">
    <${Ask}
      isSmall
      label=${`Run now: ${name}`}
      title=${`Run ${name} now?`}
      text="Its job is due at once. Its times stay as they are."
      run=${post('run-now', `${name} runs now.`)}
      >Run now<//
    >
    ${paused
      ? html`<${Ask}
          isSmall
          label=${`Resume ${name}`}
          title=${`Resume ${name}?`}
          text="It goes on with its next time."
          run=${post('resume', `${name} goes on.`)}
          >Resume<//
        >`
      : html`<${Ask}
          isSmall
          label=${`Pause ${name}`}
          title=${`Pause ${name}?`}
          text="It adds no more jobs until it is resumed."
          run=${post('pause', `${name} is paused.`)}
          >Pause<//
        >`}
    <${Ask}
      isSmall
      isDangerous
      label=${`Remove ${name}`}
      title=${`Remove ${name}?`}
      text="The schedule is gone for good. The jobs that it has added stay."
      run=${async () => {
        await send('DELETE', path`v1/schedules/${name}`);
        return `${name} is removed.`;
      }}
      >Remove<//
    >
  </span>`;
}

function howLong({ since, until }) {
  return duration(Date.parse(until) - Date.parse(since));
}

/** When a schedule fires next, and what has become of its last jobs. */
function Firings({ name, type }) {
  const firings = useLive((signal) => get(path`v1/schedules/${name}/firings`, { query: { limit: FIRINGS }, signal }), [name]);
  return html`<${Section} id="firings" title=${html`<span class="id">${name}</span>`} note="Its next times, and its last jobs.">
    <${Loaded} from=${firings}>
      ${({ times, jobs }) => html`
        ${times.length === 0
          ? html`<p class="empty">No firing is to come: the schedule is paused, has ended, or goes on after its job.</p>`
          : html`<ol class="times" aria-label="Next firings">
              ${times.map((at) => html`<li key=${at}>${localTime(at)} <span class="note"><${Time} at=${at} /></span></li>`)}
            </ol>`}
        <${Table}
          label=${`Last jobs of ${name}`}
          rows=${jobs}
          keyOf=${(job) => job.id}
          empty="No job of it is kept."
          columns=${[
            { head: 'Job', isMain: true, cell: ({ id }) => (type ? html`<${JobLink} type=${type} id=${id} />` : html`<span class="id">${id}</span>`) },
            { head: 'State', cell: (job) => html`<${Status} of=${job.outcome ?? job.state} />` },
            {
              head: 'Started',
              cell: ({ lastAttempt }) => (lastAttempt ? html`<${Time} at=${lastAttempt.since} />` : html`<${None} />`),
            },
            {
              head: 'Took',
              isNumber: true,
              cell: ({ lastAttempt }) => (lastAttempt?.until ? howLong(lastAttempt) : html`<${None} />`),
            },
            { head: 'Error', isWide: true, cell: ({ error }) => error && html`<${ErrorText} error=${error} />` },
          ]}
        />
      `}
    <//>
  <//>`;
}

export function Schedules({ params }) {
  const query = { limit: LIMIT, after: params.after };
  const schedules = useLive((signal) => get('v1/schedules', { query, signal }), [params.after], 2000, false);
  return html`<h1>Schedules</h1>
    <${Section} id="schedules" title="By name">
      <${Loaded} from=${schedules}>
        ${(page) => html`<${Table}
            label="Schedules"
            rows=${page.items}
            keyOf=${(schedule) => schedule.name}
            empty="There is no schedule."
            columns=${[
              {
                head: 'Schedule',
                isMain: true,
                cell: ({ name }) =>
                  html`<a class="id" href=${href('schedules', { ...params, name })} aria-current=${name === params.name ? 'true' : undefined}>${name}</a>`,
              },
              { head: 'Times', cell: ({ times }) => html`<code>${times}</code>` },
              {
                head: 'Next firing',
                cell: ({ paused, firingTime }) =>
                  paused ? html`<${Status} of="paused" />` : html`<${Time} at=${firingTime} />`,
              },
              { head: 'Type', isWide: true, cell: ({ type }) => html`<${TypeLink} type=${type} />` },
              {
                head: 'Job',
                isWide: true,
                cell: ({ type, currentJob }) =>
                  currentJob ? html`<${JobLink} type=${type} id=${currentJob} />` : html`<${None} />`,
              },
              { head: 'Actions', cell: (schedule) => html`<${Actions} schedule=${schedule} />` },
            ]}
          />
          <${Pages} page="schedules" params=${params} next=${page.next} />`}
      <//>
    <//>
    ${params.name &&
    html`<${Firings}
      key=${params.name}
      name=${params.name}
      type=${schedules.value?.items.find((one) => one.name === params.name)?.type}
    />`}`;
}
