// The workers that are registered, wherever they run.

import { html } from '../html.mjs';
import { get, path, send } from '../api.mjs';
import { plural } from '../format.mjs';
import { useLive } from '../live.mjs';
import { Loaded, Section, Time } from '../parts/basics.mjs';
import { Ask } from '../parts/dialog.mjs';
import { Pages, Table } from '../parts/table.mjs';
import { WorkerTable } from '../parts/workers.mjs';

const LIMIT = 100;

function Pause({ name }) {
  return html`<${Ask}
    isSmall
    label=${`Pause the workers ${name}`}
    title=${`Pause the workers named ${name}?`}
    text="They claim no more jobs, and neither do those of this name that start later. What runs goes on."
    run=${async () => {
      await send('POST', path`v1/workers/${name}/pause`);
      return `The workers ${name} are paused.`;
    }}
    >Pause<//
  >`;
}

function Resume({ name }) {
  return html`<${Ask}
    isSmall
    label=${`Resume the workers ${name}`}
    title=${`Resume the workers named ${name}?`}
    run=${async () => {
      await send('POST', path`v1/workers/${name}/resume`);
      return `The workers ${name} claim jobs again.`;
    }}
    >Resume<//
  >`;
}

function Drain({ name }) {
  return html`<${Ask}
    isSmall
    isDangerous
    label=${`Drain the workers ${name}`}
    title=${`Drain the workers named ${name}?`}
    text="They finish what they run, and end. Nothing starts them again."
    run=${async () => {
      const { count } = await send('POST', path`v1/workers/${name}/drain`);
      return `${plural(count, 'worker')} named ${name} drain.`;
    }}
    >Drain<//
  >`;
}

export function Workers({ params }) {
  const workers = useLive(
    (signal) => get('v1/workers', { query: { limit: LIMIT, after: params.after }, signal }),
    [params.after],
    2000,
    false,
  );
  const pauses = useLive((signal) => get('v1/worker-pauses', { query: { limit: LIMIT }, signal }), [], 2000, false);
  const paused = new Set((pauses.value?.items ?? []).map((pause) => pause.name));
  return html`<h1>Workers</h1>
    <${Section} id="registered" title="Registered">
      <${Loaded} from=${workers}>
        ${(page) => html`<${WorkerTable}
            workers=${page.items}
            actions=${({ name }) =>
              html`<span class="actions">
                ${paused.has(name) ? html`<${Resume} name=${name} />` : html`<${Pause} name=${name} />`}
                <${Drain} name=${name} />
              </span>`}
          />
          <${Pages} page="workers" params=${params} next=${page.next} />`}
      <//>
    <//>
    <${Section} id="pauses" title="Paused names" note="A pause holds for all workers of a name, also for those to come.">
      <${Loaded} from=${pauses}>
        ${(page) =>
          html`<${Table}
            label="Paused names"
            rows=${page.items}
            keyOf=${(pause) => pause.name}
            empty="No workers are paused."
            columns=${[
              { head: 'Name', isMain: true, cell: (pause) => html`<span class="id">${pause.name}</span>` },
              { head: 'Since', cell: (pause) => html`<${Time} at=${pause.since} />` },
              { head: 'Actions', cell: (pause) => html`<${Resume} name=${pause.name} />` },
            ]}
          />`}
      <//>
    <//>`;
}
