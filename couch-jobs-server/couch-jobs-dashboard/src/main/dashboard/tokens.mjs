// Access tokens, as the reader asks for them.

export const ROLES = [
  ['read', 'Read: see everything but hidden payloads'],
  ['operate', 'Operate: add and change jobs'],
  ['work', 'Work: claim and end jobs'],
  ['admin', 'Admin: all of these, and tokens'],
];

/** The fields of a new token. */
export const FIELDS = [
  { name: 'name', label: 'Name', required: true, maxLength: 64, hint: 'Letters, digits and ._@- in it.' },
  ...ROLES.map(([role, label]) => ({ name: `role-${role}`, label, type: 'checkbox', value: role === 'read' })),
  { name: 'types', label: 'Types', rows: 3, hint: 'One in each line. Empty: all.' },
  { name: 'expiresAt', label: 'Expires', type: 'datetime-local', step: 1, hint: 'Empty: never. In your time zone.' },
];

/** What the API takes. */
export function tokenOf(values) {
  const types = values.types.split('\n').map((line) => line.replace(/\r$/, '')).filter((line) => line !== '');
  const roles = ROLES.map(([role]) => role).filter((role) => values[`role-${role}`]);
  if (roles.length === 0) {
    throw Object.assign(new Error('roles'), { title: 'The token has no role.', detail: 'Choose at least one.' });
  }
  return {
    name: values.name,
    roles,
    ...(types.length > 0 && { types }),
    ...(values.expiresAt && { expiresAt: new Date(values.expiresAt).toISOString() }),
  };
}
