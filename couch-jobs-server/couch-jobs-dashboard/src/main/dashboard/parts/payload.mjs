// JSON of users, as it was stored: coloured, copied, and cut if it is long.

import { html, useMemo, useState } from '../html.mjs';
import { bytes, content, number } from '../format.mjs';
import { pretty, prettyText } from '../json.mjs';
import { Copy } from './basics.mjs';

const SHOWN = 20_000;

function cut(pieces, most) {
  const shown = [];
  let length = 0;
  for (const [kind, text] of pieces) {
    shown.push([kind, text.slice(0, most - length)]);
    length += text.length;
    if (length >= most) {
      break;
    }
  }
  return shown;
}

/** What is no JSON: what it is, how long, and how it begins. */
export function Content({ base64, mediaType }) {
  const { size, first } = content(base64);
  return html`<p>${bytes(size)} of <code>${mediaType}</code>${size > 0 && html`: <code>${first}</code>`}</p>`;
}

export function Json({ text, what }) {
  const [all, setAll] = useState(false);
  const pieces = useMemo(() => pretty(text), [text]);
  const length = pieces.reduce((sum, piece) => sum + piece[1].length, 0);
  const isCut = !all && length > SHOWN;
  return html`<div class="json">
    <div class="tools"><${Copy} text=${prettyText(text)} what=${what} /></div>
    <pre tabindex="0" aria-label=${what}>${(isCut ? cut(pieces, SHOWN) : pieces).map(([kind, piece]) =>
      kind === 'blank' || kind === 'mark' ? piece : html`<span class=${`json-${kind}`}>${piece}</span>`,
    )}</pre>
    ${isCut &&
    html`<p class="note">
      The first ${number(SHOWN)} of ${number(length)} characters.${' '}
      <button type="button" class="small" onClick=${() => setAll(true)}>Show all</button>
    </p>`}
  </div>`;
}
