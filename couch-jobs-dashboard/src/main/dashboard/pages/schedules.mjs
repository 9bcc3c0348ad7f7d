// What runs again and again.

import { html } from '../html.mjs';
import { get, path, send } from '../api.mjs';
import { useLive } from '../live.mjs';
import { JobLink, Loaded, None, Section, Status, Time, TypeLink } from '../parts/basics.mjs';
import { Ask } from '../parts/dialog.mjs';
import { Pages, Table } from '../parts/table.mjs';

const LIMIT = 100;

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
              { head: 'Schedule', isMain: true, cell: ({ name }) => html`<span class="id">${name}</span>` },
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
    <//>`;
}
