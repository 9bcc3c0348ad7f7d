// A job between others, as a picture. The lists beside it say the same, so it is hidden from screen readers, and its
// links from the keyboard.

import { html } from '../html.mjs';
import { curve, cut, layout } from '../graph.mjs';

function Box({ box }) {
  const status = box.status?.replaceAll('_', ' ');
  const drawn = html`<title>${[box.head, box.text, status].filter(Boolean).join(' ')}</title>
    <rect x=${box.x} y=${box.y} width=${box.width} height=${box.height} rx="5" />
    <text class="graph-head" x=${box.x + 10} y=${box.y + 15}>${cut(box.head)}</text>
    <text class="id" x=${box.x + 10} y=${box.y + 30}>${cut(box.text)}</text>
    ${status &&
    html`<g class=${`graph-status is-${box.status}`}>
      <circle cx=${box.x + 14} cy=${box.y + 42} r="3.5" />
      <text x=${box.x + 23} y=${box.y + 46}>${status}</text>
    </g>`}`;
  return box.href
    ? html`<a href=${box.href} tabindex="-1">${drawn}</a>`
    : html`<g class=${box.isOwn ? 'is-own' : 'is-more'}>${drawn}</g>`;
}

export function Graph({ left, middle, right, label }) {
  const { width, height, boxes, lines } = layout(left, middle, right);
  return html`<div class="graph" role="group" tabindex="0" aria-label=${label}>
    <svg viewBox=${`-1 -1 ${width + 2} ${height + 2}`} width=${width + 2} height=${height + 2} aria-hidden="true">
      ${lines.map((line) => html`<path d=${curve(line)} />`)}
      ${boxes.map((box) => html`<${Box} key=${box.key} box=${box} />`)}
    </svg>
  </div>`;
}
