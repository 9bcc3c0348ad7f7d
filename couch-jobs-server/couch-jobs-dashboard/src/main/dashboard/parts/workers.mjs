// Workers with what they do.

import { html } from '../html.mjs';
import { number } from '../format.mjs';
import { Status, Time, TypeLink } from './basics.mjs';
import { Table } from './table.mjs';

export function WorkerTable({ workers, actions }) {
  return html`<${Table}
    label="Workers"
    rows=${workers}
    keyOf=${(worker) => worker.id}
    empty="No worker is registered."
    columns=${[
      {
        head: 'Worker',
        isMain: true,
        cell: (worker) => html`<span class="id">${worker.name}</span> <span class="note id">${worker.host}</span>`,
      },
      { head: 'State', cell: (worker) => html`<${Status} of=${worker.live ? worker.state : 'silent'} />` },
      {
        head: 'Running',
        isNumber: true,
        cell: (worker) => `${number(worker.running)} of ${number(worker.concurrency)}`,
      },
      {
        head: 'Types',
        isWide: actions !== undefined,
        cell: (worker) => worker.types.map((type) => html`<span class="each"><${TypeLink} type=${type} /></span>`),
      },
      { head: 'Started', isWide: true, cell: (worker) => html`<${Time} at=${worker.startedAt} />` },
      { head: 'Last seen', isWide: true, cell: (worker) => html`<${Time} at=${worker.lastSeen} />` },
      actions && { head: 'Actions', cell: actions },
    ]}
  />`;
}
