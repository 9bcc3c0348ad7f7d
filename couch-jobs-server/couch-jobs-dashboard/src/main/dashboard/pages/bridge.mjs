// The nodes of the bridge to CouchDB, and their documents with the steps.

import { html } from '../html.mjs';
import { get, path, send } from '../api.mjs';
import { bytes, changes, fields, SETTINGS, shown } from '../bridge.mjs';
import { number } from '../format.mjs';
import { useLive } from '../live.mjs';
import { own } from '../lookup.mjs';
import { Facts, Loaded, None, Section, Status, Time } from '../parts/basics.mjs';
import { Ask } from '../parts/dialog.mjs';
import { Pages, Table } from '../parts/table.mjs';
import { href } from '../router.mjs';

const LIMIT = 50;
const PERCENT = 100;

function NodeLink({ name }) {
  return html`<a class="id" href=${href('bridge-node', { name })}>${name}</a>`;
}

function NodeState({ node }) {
  return html`<span class="each"><${Status} of=${node.state} /></span> ${node.state === 'running' &&
    !node.connected &&
    html`<${Status} of="failed" text="CouchDB does not answer" />`}`;
}

export function Bridge() {
  const nodes = useLive((signal) => get('v1/bridge/nodes', { signal }), [], 2000, false);
  return html`<h1>Bridge</h1>
    <${Section} id="nodes" title="Nodes" note="A node reports about every 15 seconds.">
      <${Loaded} from=${nodes}>
        ${(page) =>
          html`<${Table}
            label="Nodes"
            rows=${page.items}
            keyOf=${(node) => node.name}
            empty="No bridge to CouchDB has reported."
            columns=${[
              { head: 'Node', isMain: true, cell: (node) => html`<${NodeLink} name=${node.name} />` },
              { head: 'State', cell: (node) => html`<${NodeState} node=${node} />` },
              {
                head: 'Running',
                isNumber: true,
                cell: (node) => `${number(node.running)} of ${number(node.settings.workers)}`,
              },
              { head: 'Faults', isNumber: true, cell: (node) => number(node.faults.length) },
              { head: 'Database', isWide: true, cell: (node) => html`<span class="id">${node.address}</span>` },
              { head: 'Reported', isWide: true, cell: (node) => html`<${Time} at=${node.reportedAt} />` },
            ]}
          />`}
      <//>
    <//>`;
}

function ChangeSettings({ node }) {
  return html`<${Ask}
    label=${`Change the settings of ${node.name}`}
    title=${`Change the settings of ${node.name}?`}
    text="What is empty is as in the file of the node. The changes hold until they are taken back here."
    fields=${fields(node)}
    run=${async (values) => {
      const body = changes(node, values);
      if (Object.keys(body).length === 0) {
        return 'Nothing was changed.';
      }
      const { revision } = await send('PATCH', path`v1/bridge/nodes/${node.name}/settings`, body);
      return `${node.name} is to apply revision ${revision}.`;
    }}
    >Change<//
  >`;
}

function Forget({ node }) {
  return html`<${Ask}
    isDangerous
    label=${`Forget ${node.name}`}
    title=${`Forget ${node.name}?`}
    text="Its report and its settings are gone. A bridge of this name that starts later reports again."
    run=${async () => {
      const { changed } = await send('DELETE', path`v1/bridge/nodes/${node.name}`);
      return changed ? `${node.name} is forgotten.` : `${node.name} runs, and stays.`;
    }}
    >Forget<//
  >`;
}

function Node({ node }) {
  const applied =
    node.appliedRevision === node.wantedRevision
      ? `revision ${node.appliedRevision}`
      : `revision ${node.appliedRevision}; revision ${node.wantedRevision} is wanted`;
  const load = node.resources.processorLoad;
  return html`<${Section}
      id="node"
      title="Node"
      actions=${node.state !== 'running' && html`<${Forget} node=${node} />`}
    >
      <${Facts}
        items=${[
          ['State', html`<${NodeState} node=${node} />`],
          ['Process', node.process],
          ['Version', node.version],
          ['Started', html`<${Time} at=${node.startedAt} />`],
          ['Reported', html`<${Time} at=${node.reportedAt} />`],
          ['Database', html`<span class="id">${node.address}</span>`],
          ['Position in the feed', node.position && html`<span class="id">${node.position}</span>`],
          ['Heap', `${bytes(node.resources.heapUsed)} of ${bytes(node.resources.heapMax)}`],
          ['Processors', load !== undefined && `${Math.round(load * PERCENT)} %`],
          ['Running', `${number(node.running)} of ${number(node.settings.workers)}`],
        ]}
      />
      ${node.faults.length > 0 &&
      html`<h3>Faults</h3>
        <ul>
          ${node.faults.map((fault) => html`<li class="error-text">${fault}</li>`)}
        </ul>`}
      ${node.steps.length > 0 &&
      html`<${Table}
        label="Running steps"
        rows=${node.steps}
        keyOf=${(step) => `${step.document} ${step.step}`}
        columns=${[
          {
            head: 'Document',
            isMain: true,
            cell: (step) => html`<${DocumentLink} node=${node.name} id=${step.document} />`,
          },
          { head: 'Step', isNumber: true, cell: (step) => number(step.step) },
        ]}
      />`}
    <//>
    <${Section} id="settings" title="Settings" note=${applied} actions=${html`<${ChangeSettings} node=${node} />`}>
      <${Facts}
        items=${[
          ...SETTINGS.map(({ name, label }) => [
            label,
            own(node.settings, name) !== undefined && shown(name, own(node.settings, name)),
          ]),
          ...Object.entries(node.settings.concurrency).map(([kind, most]) => [`Work items at once: ${kind}`, most]),
        ].filter(([, value]) => value !== false)}
      />
    <//>`;
}

function DocumentLink({ node, id }) {
  return html`<a class="id" href=${href('bridge-document', { name: node, id })}>${id}</a>`;
}

const STATES = { success: 'succeeded', refused: 'failed', damaged: 'failed', deleted: 'cancelled', finished: 'succeeded' };

function DocumentState({ of }) {
  return html`<${Status} of=${own(STATES, of) ?? of} text=${of} />`;
}

export function BridgeNode({ params }) {
  const node = useLive((signal) => get(path`v1/bridge/nodes/${params.name}`, { signal }), [params.name], 2000, false);
  const documents = useLive(
    (signal) =>
      get(path`v1/bridge/nodes/${params.name}/documents`, { query: { limit: LIMIT, after: params.after }, signal }),
    [params.name, params.after],
    5000,
    false,
  );
  return html`<h1>Node <span class="id">${params.name}</span></h1>
    <${Loaded} from=${node}>${(found) => html`<${Node} node=${found} />`}<//>
    <${Section} id="documents" title="Documents" note="Job documents in the store of the node, by id.">
      <${Loaded} from=${documents}>
        ${(page) =>
          html`<${Table}
              label="Documents"
              rows=${page.items}
              keyOf=${(document) => document.id}
              empty="The store of the node has no documents."
              columns=${[
                {
                  head: 'Document',
                  isMain: true,
                  cell: (document) => html`<${DocumentLink} node=${params.name} id=${document.id} />`,
                },
                { head: 'State', cell: (document) => html`<${DocumentState} of=${document.state} />` },
                {
                  head: 'Step',
                  isNumber: true,
                  cell: (document) => `${number(document.step)} of ${number(document.steps.length)}`,
                },
                { head: 'Creator', isWide: true, cell: (document) => document.creator },
                { head: 'Reason', isWide: true, cell: (document) => document.reason ?? html`<${None} />` },
              ]}
            />
            <${Pages} page="bridge-node" params=${params} next=${page.next} />`}
      <//>
    <//>`;
}

function Steps({ document }) {
  const runs = document.steps.flatMap((step) =>
    (step.runs.length === 0 ? [{}] : step.runs).map((run) => ({ step, run })),
  );
  return html`<${Table}
    label="Steps"
    rows=${runs}
    keyOf=${({ step, run }) => `${step.index} ${run.node ?? ''}`}
    columns=${[
      { head: 'Step', isMain: true, isNumber: true, cell: ({ step }) => number(step.index) },
      { head: 'Target', cell: ({ step }) => step.targets.join(', ') },
      {
        head: 'State',
        cell: ({ step, run }) =>
          run.state || step.state ? html`<${DocumentState} of=${run.state ?? step.state} />` : html`<${None} />`,
      },
      { head: 'Claimed by', isWide: true, cell: ({ step }) => step.claimedBy ?? html`<${None} />` },
      { head: 'Run by', cell: ({ run }) => run.executioner ?? html`<${None} />` },
      {
        head: 'Begun',
        isNumber: true,
        isWide: true,
        cell: ({ run }) => (run.begun === undefined ? html`<${None} />` : number(run.begun)),
      },
      {
        head: 'Failed tries',
        isNumber: true,
        isWide: true,
        cell: ({ run }) => (run.tries === undefined ? html`<${None} />` : number(run.tries)),
      },
      { head: 'Began', isWide: true, cell: ({ run }) => html`<${Time} at=${run.startedAt} />` },
      { head: 'Ended', isWide: true, cell: ({ run }) => html`<${Time} at=${run.finishedAt} />` },
      {
        head: 'Result',
        cell: ({ run }) =>
          run.reason ?? (run.exitStatus === undefined ? html`<${None} />` : `exit status ${run.exitStatus}`),
      },
    ]}
  />`;
}

export function BridgeDocument({ params }) {
  const document = useLive(
    (signal) => get(path`v1/bridge/nodes/${params.name}/documents/${params.id}`, { signal }),
    [params.name, params.id],
    2000,
    false,
  );
  return html`<h1>Document <span class="id">${params.id}</span></h1>
    <${Loaded} from=${document}>
      ${(found) =>
        html`<${Section} id="document" title="Document" note=${found.waitsFor}>
            <${Facts}
              items=${[
                ['State', html`<${DocumentState} of=${found.state} />`],
                ['Creator', found.creator],
                ['In the store of', html`<${NodeLink} name=${params.name} />`],
                ['Reason', found.reason],
              ]}
            />
          <//>
          ${found.steps.length > 0 &&
          html`<${Section} id="steps" title="Steps"><${Steps} document=${found} /><//>`}`}
    <//>`;
}
