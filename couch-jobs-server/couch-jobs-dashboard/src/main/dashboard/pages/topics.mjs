// Topics: what their partitions hold, how far the groups are, and the messages.

import { html, useRef } from '../html.mjs';
import { forEach, get, getText, path, send } from '../api.mjs';
import { bytes, isoDuration, number, plural } from '../format.mjs';
import { elements, member } from '../json.mjs';
import { LagSamples } from '../lags.mjs';
import { useLive } from '../live.mjs';
import { href } from '../router.mjs';
import { Chart } from '../parts/chart.mjs';
import { Facts, Loaded, None, Section, Time } from '../parts/basics.mjs';
import { Ask } from '../parts/dialog.mjs';
import { Json } from '../parts/payload.mjs';
import { Pages, Table } from '../parts/table.mjs';

const LIMIT = 50;
const MESSAGES = 20;
const GROUPS_MAX = 20;
const COLOURS = ['--running', '--expired', '--succeeded', '--failed', '--pending', '--cancelled'];

async function describe(query, signal) {
  const page = await get('v1/topics', { query, signal });
  return { topics: await forEach(page.items, (name) => get(path`v1/topics/${name}`, { signal })), next: page.next };
}

export function Topics({ params }) {
  const query = { limit: LIMIT, after: params.after };
  const found = useLive((signal) => describe(query, signal), [params.after], 5000, false);
  return html`<h1>Topics</h1>
    <${Section} id="topics" title="By name">
      <${Loaded} from=${found}>
        ${({ topics, next }) => html`<${Table}
            label="Topics"
            rows=${topics}
            keyOf=${(topic) => topic.name}
            empty="There is no topic."
            columns=${[
              {
                head: 'Topic',
                isMain: true,
                cell: ({ name }) => html`<a class="id" href=${href('topic', { name })}>${name}</a>`,
              },
              { head: 'Partitions', isNumber: true, cell: ({ partitions }) => number(partitions.length) },
              { head: 'Messages', isNumber: true, cell: ({ messages }) => number(messages) },
              { head: 'Size', isNumber: true, cell: (topic) => bytes(topic.bytes) },
              { head: 'Kept', isWide: true, cell: kept },
            ]}
          />
          <${Pages} page="topics" params=${params} next=${next} />`}
      <//>
    <//>`;
}

function kept({ maxAge, maxBytes, consumedBy, compactAfter }) {
  if (compactAfter) {
    return `the last of each key, others for ${isoDuration(compactAfter)}`;
  }
  const rules = [
    maxAge && `for ${isoDuration(maxAge)}`,
    maxBytes && `${bytes(maxBytes)} of a partition`,
    consumedBy && `until consumed by ${consumedBy.join(', ')}`,
  ].filter(Boolean);
  return rules.length > 0 ? rules.join('; ') : 'for ever';
}

function Settings({ topic }) {
  return html`<${Section} id="settings" title="Partitions">
    <${Facts}
      items=${[
        ['Messages', number(topic.messages)],
        ['Size', bytes(topic.bytes)],
        ['Created', html`<${Time} at=${topic.createdAt} />`],
        ['Kept', kept(topic)],
      ]}
    />
    <${Table}
      label="Partitions"
      rows=${topic.partitions}
      keyOf=${({ partition }) => partition}
      columns=${[
        {
          head: 'Partition',
          isMain: true,
          cell: ({ partition }) => html`<a href=${href('topic', { name: topic.name, partition })}>${partition}</a>`,
        },
        { head: 'Messages', isNumber: true, cell: ({ messages }) => number(messages) },
        { head: 'Size', isNumber: true, cell: (of) => bytes(of.bytes) },
        { head: 'Ever appended', isNumber: true, isWide: true, cell: ({ appended }) => number(appended) },
      ]}
    />
  <//>`;
}

function parked({ partitions }) {
  return number(partitions.reduce((sum, partition) => sum + partition.parked, 0));
}

function holders(group) {
  const count = new Set(group.partitions.map(({ holder }) => holder).filter(Boolean)).size;
  return count === 0 ? html`<${None} />` : plural(count, 'consumer');
}

function GroupActions({ topic, group }) {
  const url = path`v1/topics/${topic}/groups/${group}`;
  return html`<span class="actions">
    <${Ask}
      isSmall
      label=${`Move ${group}`}
      title=${`Move ${group}?`}
      text="All of its partitions. What its consumers are handling does not commit."
      confirm="Move"
      fields=${[
        { name: 'to', label: 'To', value: 'earliest', required: true, hint: 'earliest, latest, an offset, or a time such as 2027-01-31T08:00:00Z' },
      ]}
      run=${async ({ to }) => {
        await send('POST', `${url}/seek`, { to });
        return `${group} is moved.`;
      }}
      >Move…<//
    >
    <${Ask}
      isSmall
      isDangerous
      label=${`Remove ${group}`}
      title=${`Remove ${group}?`}
      text="Its offsets are gone. Consumers that run create it again."
      run=${async () => {
        await send('DELETE', url);
        return `${group} is removed.`;
      }}
      >Remove<//
    >
  </span>`;
}

async function groupsOf(topic, signal) {
  const { items } = await get(path`v1/topics/${topic}/groups`, { signal });
  return forEach(items.slice(0, GROUPS_MAX), (group) => get(path`v1/topics/${topic}/groups/${group}`, { signal }));
}

function Groups({ topic }) {
  const samples = useRef(new LagSamples());
  const groups = useLive(
    async (signal) => {
      const found = await groupsOf(topic, signal);
      samples.current.add(Date.now(), found);
      return found;
    },
    [topic],
    2000,
    false,
  );
  return html`<${Section} id="groups" title="Groups" note="Lag is what a group has still to consume, while this page is open.">
    <${Loaded} from=${groups}>
      ${(found) => html`
        ${found.length > 0 &&
        html`<div class="charts">
          <${Chart}
            key=${found.map(({ name }) => name).join(' ')}
            title="Lag"
            data=${samples.current.columns(found.map(({ name }) => name))}
            format=${number}
            series=${found.map(({ name, lag }, index) => ({ name, colour: COLOURS.at(index % COLOURS.length), value: number(lag) }))}
          />
        </div>`}
        <${Table}
          label="Groups"
          rows=${found}
          keyOf=${({ name }) => name}
          empty="No group has consumed of it."
          columns=${[
            {
              head: 'Group',
              isMain: true,
              cell: ({ name }) => html`<a class="id" href=${href('group', { topic, name })}>${name}</a>`,
            },
            { head: 'Lag', isNumber: true, cell: ({ lag }) => number(lag) },
            { head: 'Parked', isNumber: true, cell: parked },
            { head: 'Consumers', cell: holders },
            { head: 'Actions', cell: ({ name }) => html`<${GroupActions} topic=${topic} group=${name} />` },
          ]}
        />
      `}
    <//>
  <//>`;
}

function Value({ message }) {
  if (message.problem) {
    return html`<span class="error-text">${message.problem}</span>`;
  }
  if (message.deletion) {
    return 'deletes its key';
  }
  return message.bytes === undefined
    ? html`<${Json} text=${message.value} what=${`Value of ${message.offset}`} />`
    : html`<code>${message.bytes}</code>`;
}

/** The values stay text: a JSON number may have more digits than a number of the browser. */
async function messagesOf(url, options) {
  const text = await getText(url, options);
  const items = elements(member(text, 'items')).map((item) => ({ ...JSON.parse(item), value: member(item, 'value') }));
  return { ...JSON.parse(text), items };
}

function Messages({ params }) {
  const { name, partition = '0', from } = params;
  const url = path`v1/topics/${name}/partitions/${partition}/messages`;
  const page = useLive((signal) => messagesOf(url, { query: { from, limit: MESSAGES }, signal }), [url, from], 5000, false);
  return html`<${Section} id="messages" title=${`Messages of partition ${partition}`} note="The oldest first.">
    <${Loaded} from=${page}>
      ${({ items, next, end }) => html`<${Table}
          label="Messages"
          rows=${items}
          keyOf=${({ offset }) => offset}
          empty="There is no message."
          columns=${[
            { head: 'Offset', isMain: true, cell: ({ offset }) => html`<code>${offset}</code>` },
            { head: 'Appended', cell: ({ appendedAt }) => html`<${Time} at=${appendedAt} />` },
            { head: 'Key', cell: ({ key }) => (key === undefined ? html`<${None} />` : html`<span class="id">${key}</span>`) },
            { head: 'Value', cell: (message) => html`<${Value} message=${message} />` },
          ]}
        />
        <${Pages} page="topic" name="from" params=${params} next=${end ? null : next} />`}
    <//>
  <//>`;
}

export function Topic({ params }) {
  const { name } = params;
  const topic = useLive((signal) => get(path`v1/topics/${name}`, { signal }), [name], 2000, false);
  return html`<h1><span class="id">${name}</span></h1>
    <${Loaded} from=${topic}>${(found) => html`<${Settings} topic=${found} />`}<//>
    <${Groups} topic=${name} />
    <${Messages} params=${params} />`;
}
