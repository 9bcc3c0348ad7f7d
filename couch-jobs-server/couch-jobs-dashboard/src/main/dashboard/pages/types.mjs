// All types, with what slows each of them.

import { html } from '../html.mjs';
import { pace, types, TYPES_MAX } from '../data.mjs';
import { isoDuration, limitRate, number, plural } from '../format.mjs';
import { useLive } from '../live.mjs';
import { go, href } from '../router.mjs';
import { Loaded, None, Section, Status, TypeLink } from '../parts/basics.mjs';
import { StateCount } from '../parts/counts.mjs';
import { Table } from '../parts/table.mjs';

const ROWS = 200;

function note(all, filter) {
  const count = all.filter((type) => type.name.includes(filter)).length;
  const known = all.length < TYPES_MAX ? '' : ` Only the first ${number(TYPES_MAX)} types are read.`;
  return (count > ROWS ? `The first ${ROWS} of ${number(count)}.` : plural(count, 'type')) + known;
}

export function Types({ params }) {
  const found = useLive(types, [], pace, false);
  const filter = params.filter ?? '';
  const filtered = (event) => go(href('types', { filter: event.target.value }), { replace: true });
  return html`<h1>Types</h1>
    <form class="filters" role="search" onSubmit=${(event) => event.preventDefault()}>
      <div class="field">
        <label for="filter">Name contains</label>
        <input id="filter" value=${filter} onInput=${filtered} data-search autocomplete="off" aria-keyshortcuts="/" placeholder="/" />
      </div>
    </form>
    <${Section} id="types" title="By name" note=${found.value ? note(found.value, filter) : ''}>
      <${Loaded} from=${found}>
        ${(all) =>
          html`<${Table}
            label="Types"
            rows=${all.filter((type) => type.name.includes(filter)).slice(0, ROWS)}
            keyOf=${(type) => type.name}
            empty=${all.length === 0 ? 'No job was added yet.' : 'No type has such a name.'}
            columns=${[
              { head: 'Type', isMain: true, cell: (type) => html`<${TypeLink} type=${type.name} />` },
              {
                head: 'Claims',
                cell: ({ pause }) =>
                  pause
                    ? html`<${Status} of="paused" /> <span class="note">${pause.reason}</span>`
                    : html`<${Status} of="active" />`,
              },
              ...['pending', 'running', 'failed'].map((state) => ({
                head: state[0].toUpperCase() + state.slice(1),
                isNumber: true,
                cell: (type) => html`<${StateCount} type=${type.name} state=${state} count=${type.counts[state]} />`,
              })),
              {
                head: 'Timeout',
                isNumber: true,
                isWide: true,
                cell: ({ timeout }) => (timeout ? isoDuration(timeout) : html`<${None} />`),
              },
              {
                head: 'Limit',
                isNumber: true,
                isWide: true,
                cell: ({ limits }) =>
                  limits.max ? `${number(limits.running)} of ${number(limits.max)}` : html`<${None} />`,
              },
              {
                head: 'Rate',
                isWide: true,
                cell: ({ limits }) => (limits.rate ? limitRate(limits.rate) : html`<${None} />`),
              },
            ]}
          />`}
      <//>
    <//>`;
}
