'use strict';

const { Authentication } = require('./authentication');
const { HANDLERS, describe, write } = require('./database-requests');
const { answerDocument } = require('./document-requests');
const { readDocument } = require('./documents');
const { Refusal } = require('./refusal');
const { readRequest, reply } = require('./requests');

/** The handler of a server's requests. */
function requestHandler(databases, replicator, userAndPassword) {
  const authentication = new Authentication(userAndPassword);
  return (request, response) => readRequest(request)
    .then((read) => answer(databases, replicator, authentication, read, response))
    .catch((thrown) => refuse(response, thrown));
}

function refuse(response, thrown) {
  if (!(thrown instanceof Refusal)) {
    console.error('ignored an uncaught error:', thrown);
  }
  if (response.headersSent) {
    return response.destroy();
  }
  const { status = 500, error = 'internal_server_error', message: reason } = thrown;
  reply(response, status, { error, reason });
}

function answer(databases, replicator, authentication, request, response) {
  const { method, path: [first, ...rest], headers, body } = request;
  switch (first) {
    case '_up':
      return reply(response, 200, { status: 'ok' });
    case '_session':
      if (method === 'POST') {
        const cookie = authentication.logIn(body || {});
        return reply(response, 200, { ok: true, name: body.name, roles: ['_admin'] }, { 'Set-Cookie': cookie });
      }
      break;
    case '_expire_sessions': // Not in CouchDB: expires all sessions when a test requests it.
      authentication.expireSessions();
      return reply(response, 200, { ok: true });
  }
  authentication.check(headers);
  switch (first) {
    case undefined:
      return reply(response, 200, { couchdb: 'Welcome', version: '3.5.0', vendor: { name: 'couch-jobs' } });
    case '_all_dbs':
      return reply(response, 200, databases.names());
    case '_scheduler':
      return reply(response, 200, stateOf(replicator, rest));
    default:
      return answerDatabase(databases, first, rest, request, response);
  }
}

function answerDatabase(databases, name, path, request, response) {
  const { method } = request;
  if (path.length) {
    const database = databases.get(name);
    const handler = Object.hasOwn(HANDLERS, path[0]) && HANDLERS[path[0]];
    return handler ? handler(database, request, response) : answerDocument(database, path.join('/'), request, response);
  }
  if (method === 'PUT') {
    databases.create(name);
    return reply(response, 201, { ok: true });
  }
  if (method === 'DELETE') {
    databases.remove(name);
    return reply(response, 200, { ok: true });
  }
  const database = databases.get(name);
  if (method === 'POST') {
    const document = readDocument(request.body);
    return reply(response, 201, { ok: true, id: document.id, rev: write(database, document) });
  }
  describe(database, response);
}

/** The state of a replication, at _scheduler/docs/_replicator/ID. */
function stateOf(replicator, [docs, database, id]) {
  const replication = docs === 'docs' && database === '_replicator' && replicator.get(id);
  if (!replication) {
    throw new Refusal(404, 'not_found', 'missing');
  }
  const { state, error } = replication;
  return { database, doc_id: id, state, info: error ? { error } : {} };
}

module.exports = { requestHandler };
