import assert from 'node:assert/strict';
import test from 'node:test';
import { tokenOf } from '../../main/dashboard/tokens.mjs';

test('a token has the roles that are chosen, and a type in each line', () => {
  const values = { name: 'ops', types: 'mail\r\n\na, b\n', expiresAt: '', 'role-read': 'on', 'role-work': 'on' };
  assert.deepEqual(tokenOf(values), { name: 'ops', roles: ['read', 'work'], types: ['mail', 'a, b'] });
  assert.deepEqual(tokenOf({ name: 'x', types: '', expiresAt: '2040-01-31T08:00:00Z', 'role-admin': 'on' }), {
    name: 'x', roles: ['admin'], expiresAt: '2040-01-31T08:00:00.000Z',
  });
});

test('a token without a role is not asked for', () => {
  assert.throws(() => tokenOf({ name: 'x', types: '' }), { title: 'The token has no role.' });
});
