// A group of a topic: how far it is in each partition, and its consumers.

import { html } from '../html.mjs';
import { get, path } from '../api.mjs';
import { isoDuration, number } from '../format.mjs';
import { useLive } from '../live.mjs';
import { href } from '../router.mjs';
import { Facts, Loaded, None, Section } from '../parts/basics.mjs';
import { Table } from '../parts/table.mjs';

function Consumers({ group }) {
  return html`<${Section}
    id="consumers"
    title="Consumers"
    note="One that has died stays until another one has seen that its lease is over."
  >
    <${Table}
      label="Consumers"
      rows=${group.members}
      keyOf=${({ name }) => name}
      empty="No consumer runs."
      columns=${[
        { head: 'Consumer', isMain: true, cell: ({ name }) => html`<span class="id">${name}</span>` },
        { head: 'Partitions', cell: ({ name }) => held(group, name) || html`<${None} />` },
        { head: 'Silent for', cell: ({ silence }) => isoDuration(silence) },
      ]}
    />
  <//>`;
}

function held({ partitions }, member) {
  return partitions
    .filter(({ holder }) => holder === member)
    .map(({ partition }) => partition)
    .join(', ');
}

function Partitions({ group }) {
  return html`<${Section} id="partitions" title="Partitions">
    <${Facts}
      items=${[
        ['Topic', html`<a class="id" href=${href('topic', { name: group.topic })}>${group.topic}</a>`],
        ['Lag', number(group.lag)],
      ]}
    />
    <${Table}
      label="Partitions"
      rows=${group.partitions}
      keyOf=${({ partition }) => partition}
      columns=${[
        {
          head: 'Partition',
          isMain: true,
          cell: ({ partition }) => html`<a href=${href('topic', { name: group.topic, partition })}>${partition}</a>`,
        },
        { head: 'Lag', isNumber: true, cell: ({ lag }) => number(lag) },
        { head: 'Parked', isNumber: true, cell: ({ parked }) => number(parked) },
        { head: 'Offset', isWide: true, cell: ({ offset }) => (offset ? html`<code>${offset}</code>` : html`<${None} />`) },
        { head: 'Consumer', cell: ({ holder }) => (holder ? html`<span class="id">${holder}</span>` : html`<${None} />`) },
      ]}
    />
  <//>`;
}

export function Group({ params }) {
  const { topic, name } = params;
  const url = path`v1/topics/${topic}/groups/${name}`;
  const group = useLive((signal) => get(url, { signal }), [url], 2000, false);
  return html`<h1><span class="id">${name}</span></h1>
    <${Loaded} from=${group}>
      ${(found) => html`<${Partitions} group=${found} />
        <${Consumers} group=${found} />`}
    <//>`;
}
