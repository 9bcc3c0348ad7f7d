'use strict';

const crypto = require('crypto');
const express = require('express');
const { refuse } = require('./replies');

const wrong = (response) => refuse(response, 401, 'unauthorized', 'Name or password is incorrect.');

/** Lets in whoever sends the name and the password, or the cookie of a session; everybody if none are wanted. */
function authentication(userAndPassword) {
  const router = express.Router();
  router.get('/_up', (request, response) => response.json({ status: 'ok' }));
  if (!userAndPassword) {
    return router;
  }
  const basic = 'Basic ' + Buffer.from(userAndPassword).toString('base64');
  const sessions = new Set();
  router.post('/_session', express.json(), (request, response) => {
    const { name, password } = request.body || {};
    if (`${name}:${password}` !== userAndPassword) {
      return wrong(response);
    }
    const session = crypto.randomBytes(16).toString('hex');
    sessions.add(session);
    response.set('Set-Cookie', `AuthSession=${session}; Version=1; Path=/; HttpOnly`);
    response.json({ ok: true, name, roles: ['_admin'] });
  });
  // Not in CouchDB: expires all sessions when a test requests it.
  router.post('/_expire_sessions', (request, response) => {
    sessions.clear();
    response.json({ ok: true });
  });
  router.use((request, response, next) => {
    const cookie = /AuthSession=([0-9a-f]+)/.exec(request.headers.cookie || '');
    if (request.headers.authorization !== basic && !(cookie && sessions.has(cookie[1]))) {
      return wrong(response);
    }
    // The server behind this one has no users, and would refuse the name.
    delete request.headers.authorization;
    delete request.headers.cookie;
    next();
  });
  return router;
}

module.exports = { authentication };
