// Who may call the server.

import { html } from '../html.mjs';
import { get, path, send } from '../api.mjs';
import { refreshAll, useLive } from '../live.mjs';
import { FIELDS, tokenOf } from '../tokens.mjs';
import { Copy, Loaded, None, Section, Time } from '../parts/basics.mjs';
import { Ask } from '../parts/dialog.mjs';
import { Table } from '../parts/table.mjs';

const OVERLAP_MINUTES = 60;

function Secret({ token }) {
  return html`<div class="field">
    <label for="secret">Secret</label>
    <input id="secret" class="id" value=${token} readonly autocomplete="off" />
    <div class="actions"><${Copy} text=${token} what="the secret" /></div>
  </div>`;
}

/** The server tells a secret once; the page keeps it as long as the dialog is open. */
function shown({ name, token }) {
  refreshAll();
  return {
    title: `The secret of ${name}`,
    text: 'It is shown this once. Callers send it as Authorization: Bearer.',
    body: html`<${Secret} token=${token} />`,
    confirm: 'Done',
    run: () => '',
  };
}

function Actions({ token: { id, name } }) {
  return html`<span class="actions">
    <${Ask}
      isSmall
      label=${`Rotate ${name}`}
      title=${`Give ${name} a new secret?`}
      confirm="Rotate"
      fields=${[
        {
          name: 'minutes', label: 'Minutes that the present one still holds', type: 'number', min: 0, max: 43_200,
          value: OVERLAP_MINUTES, required: true,
        },
      ]}
      run=${async ({ minutes }) =>
        shown(await send('POST', path`v1/tokens/${id}/rotate`, { overlap: `PT${Number(minutes)}M` }))}
      >Rotate…<//
    >
    <${Ask}
      isSmall
      isDangerous
      label=${`Revoke ${name}`}
      title=${`Revoke ${name}?`}
      text="Callers with it are refused: by this server at once, by others within about two seconds."
      confirm="Revoke"
      run=${async () => {
        await send('DELETE', path`v1/tokens/${id}`);
        return `${name} is revoked.`;
      }}
      >Revoke…<//
    >
  </span>`;
}

export function Tokens() {
  const tokens = useLive((signal) => get('v1/tokens', { signal }), [], 5000, false);
  return html`<header class="title">
      <h1>Tokens</h1>
      <div class="actions">
        <${Ask}
          title="Add an access token"
          confirm="Add"
          fields=${FIELDS}
          run=${async (values) => shown(await send('POST', 'v1/tokens', tokenOf(values)))}
          >Add…<//
        >
      </div>
    </header>
    <${Section} id="tokens" title="Access tokens">
      <${Loaded} from=${tokens}>
        ${({ items }) =>
          html`<${Table}
            label="Access tokens"
            rows=${items}
            keyOf=${(token) => token.id}
            columns=${[
              { head: 'Name', isMain: true, cell: ({ name }) => html`<span class="id">${name}</span>` },
              { head: 'Roles', cell: ({ roles }) => roles.join(', ') },
              {
                head: 'Types',
                cell: ({ types }) =>
                  types ? types.map((type) => html`<span class="each id">${type}</span>`) : html`<${None} text="all" />`,
              },
              { head: 'Created', isWide: true, cell: ({ createdAt }) => html`<${Time} at=${createdAt} />` },
              {
                head: 'Expires',
                isWide: true,
                cell: ({ expiresAt }) => (expiresAt ? html`<${Time} at=${expiresAt} />` : html`<${None} text="never" />`),
              },
              { head: 'Actions', cell: (token) => html`<${Actions} token=${token} />` },
            ]}
          />`}
      <//>
    <//>`;
}
