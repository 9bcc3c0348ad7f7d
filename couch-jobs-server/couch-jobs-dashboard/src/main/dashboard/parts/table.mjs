// Tables. A column is { head, cell, isNumber, isNarrow, isWide }: wide ones are left out on small screens.

import { html } from '../html.mjs';
import { href } from '../router.mjs';

function classes(column) {
  return [column.isNumber && 'number', column.isNarrow && 'narrow', column.isWide && 'wide', column.isMain && 'main'].filter(Boolean).join(' ');
}

export function Table({ label, columns, rows, keyOf, empty = 'There are none.' }) {
  const shown = columns.filter(Boolean);
  if (rows.length === 0) {
    return html`<p class="empty">${empty}</p>`;
  }
  return html`<div class="table" role="group" aria-label=${label} tabindex="0">
    <table>
      <thead>
        <tr>
          ${shown.map((column) =>
            column.head === ''
              ? html`<td class=${classes(column)}></td>`
              : html`<th scope="col" class=${classes(column)}>${column.head}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr key=${keyOf(row)}>
              ${shown.map((column) => html`<td class=${classes(column)}>${column.cell(row)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Links to the first page and to the next one. The browser's Back leads to the one before. */
export function Pages({ page, params, next, name = 'after' }) {
  if (!next && !params[name]) {
    return null;
  }
  return html`<nav class="pages" aria-label="Pages">
    ${params[name] && html`<a class="button" href=${href(page, { ...params, [name]: null })}>First page</a>`}
    ${next && html`<a class="button" href=${href(page, { ...params, [name]: next })}>Next page</a>`}
  </nav>`;
}
