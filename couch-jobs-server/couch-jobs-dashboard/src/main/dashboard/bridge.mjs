// The settings of a bridge's node: how they are shown, and what a form changes.

import { own } from './lookup.mjs';

const MEBIBYTE = 1024 * 1024;

/** The names of the settings in a form, their labels and hints. */
export const SETTINGS = [
  { name: 'workers', label: 'Workers', hint: 'How many steps run at once.', type: 'number' },
  { name: 'heartbeat', label: 'Heartbeat', hint: 'As in PT10S. The steps of the node end first.' },
  { name: 'claimTimeout', label: 'Claim timeout', hint: 'As in PT5M, the same on all nodes. The steps end first.' },
  { name: 'server', label: 'Server', hint: 'One of couchdb.others in the file of the node.' },
  { name: 'database', label: 'Database', hint: 'Another one of the server. The steps of the node end first.' },
  { name: 'memoryLimit', label: 'Memory of a command, MiB', hint: 'Of each process.', type: 'number' },
  { name: 'processorLimit', label: 'Processor time of a command', hint: 'Of each process, as in PT60S.' },
];
const KIND = 'kind ';

/** The fields of a form: what is wanted beyond the file of the node. */
export function fields(node) {
  const kinds = Object.keys(node.settings.concurrency);
  return [
    ...SETTINGS.map(({ name, label, hint, type }) => ({
      name,
      label,
      hint: own(node.settings, name) === undefined ? hint : `${hint} At present ${shown(name, own(node.settings, name))}.`,
      type,
      value: entered(name, own(node.wanted, name)),
      ...(type === 'number' ? { min: name === 'memoryLimit' ? 16 : 1, step: 1 } : {}),
    })),
    ...kinds.map((kind) => ({
      name: KIND + kind,
      label: `Work items at once: ${kind}`,
      hint: `At present ${own(node.settings.concurrency, kind)}.`,
      type: 'number',
      min: 1,
      step: 1,
      value: own(node.wanted.concurrency, kind) ?? '',
    })),
  ];
}

function entered(name, value) {
  return name === 'memoryLimit' && value !== undefined ? Math.round(value / MEBIBYTE) : (value ?? '');
}

/** A setting for readers. */
export function shown(name, value) {
  return name === 'memoryLimit' ? bytes(value) : String(value);
}

export function bytes(value) {
  return `${Math.round(value / MEBIBYTE).toLocaleString('en')} MiB`;
}

/** The body of the request: what differs from what was wanted before; null for what was emptied. */
export function changes(node, values) {
  const body = {};
  for (const { name, value, type } of fields(node)) {
    const text = (own(values, name) ?? '').trim();
    if (text === String(value)) {
      continue;
    }
    const number = name === 'memoryLimit' ? Number(text) * MEBIBYTE : Number(text);
    const next = text === '' ? null : type === 'number' ? number : text;
    if (name.startsWith(KIND)) {
      body.concurrency = { ...body.concurrency, [name.slice(KIND.length)]: next };
    } else {
      body[name] = next;
    }
  }
  return body;
}
