// One batch, by its name.

import { html } from '../html.mjs';
import { get, path, send } from '../api.mjs';
import { number, plural } from '../format.mjs';
import { useLive } from '../live.mjs';
import { go, href } from '../router.mjs';
import { Facts, Loaded, Section, Status } from '../parts/basics.mjs';
import { Ask } from '../parts/dialog.mjs';

const ENDS = ['succeeded', 'failed', 'cancelled', 'expired', 'removed'];

function Actions({ batch: { name } }) {
  return html`<${Ask}
      title=${`Seal the batch ${name}?`}
      text="It closes when the jobs that it has now have ended."
      run=${async () => {
        await send('POST', path`v1/batches/${name}/seal`);
        return `${name} is sealed.`;
      }}
      >Seal<//
    >
    <${Ask}
      isDangerous
      title=${`Cancel the jobs of the batch ${name}?`}
      text="All of its jobs that have not ended are cancelled."
      fields=${[{ name: 'reason', label: 'Reason', maxLength: 1000 }]}
      run=${async ({ reason }) => {
        const { count } = await send('POST', path`v1/batches/${name}/cancel`, { reason });
        return `${plural(count, 'job')} cancelled.`;
      }}
      >Cancel jobs<//
    >
    <${Ask}
      isDangerous
      title=${`Remove the batch ${name}?`}
      text="What it has counted is gone. It must be closed."
      run=${async () => {
        const { changed } = await send('DELETE', path`v1/batches/${name}`);
        return changed ? `${name} is removed.` : 'Nothing was removed: the batch is open, or gone.';
      }}
      >Remove<//
    >`;
}

function Found({ batch }) {
  const ended = batch.total - batch.outstanding;
  return html`<${Section}
    id="batch"
    title=${html`<span class="id">${batch.name}</span>`}
    note=${html`<${Status} of=${batch.state} />`}
    actions=${html`<${Actions} batch=${batch} />`}
  >
    <div class="progress">
      <progress max=${Math.max(1, batch.total)} value=${ended} aria-label="Jobs that have ended"></progress>
      <span>${number(ended)} of ${plural(batch.total, 'job')} ended</span>
    </div>
    <${Facts}
      items=${[
        ['Outstanding', number(batch.outstanding)],
        ...ENDS.map((end) => [end[0].toUpperCase() + end.slice(1), number(batch[end])]),
        ['Closing job', batch.closingJob],
      ]}
    />
  <//>`;
}

function Batch({ name }) {
  const batch = useLive((signal) => get(path`v1/batches/${name}`, { signal }), [name]);
  return html`<${Loaded} from=${batch}>${(found) => html`<${Found} batch=${found} />`}<//>`;
}

export function Batches({ params: { name } }) {
  const submit = (event) => {
    event.preventDefault();
    go(href('batches', { name: new FormData(event.target).get('name') }));
  };
  return html`<h1>Batches</h1>
    <form class="filters" role="search" onSubmit=${submit}>
      <div class="field">
        <label for="batch-name">Name of the batch</label>
        <input id="batch-name" name="name" defaultValue=${name ?? ''} data-search required autocomplete="off" />
      </div>
      <button type="submit" class="primary">Show</button>
    </form>
    ${name ? html`<${Batch} key=${name} name=${name} />` : html`<p class="note">A job's page links to its batch.</p>`}`;
}
