'use strict';

const { answerChanges } = require('./changes');
const { documentText, readDocument } = require('./documents');
const { Refusal } = require('./refusal');
const { reply, replyInParts, valueOf } = require('./requests');
const sequences = require('./sequences');

/** The answers to requests for a database as a whole, by the name that follows the database's in the path. */
const HANDLERS = {
  _all_docs: allDocs,
  _bulk_docs: bulkDocs,
  _bulk_get: bulkGet,
  _changes: (database, { query, body }, response) => answerChanges(database, query, body || {}, response),
  _missing_revs: (database, { body }, response) => reply(response, 200, {
    missing_revs: Object.fromEntries(missing(database, body)),
  }),
  _revs_diff: (database, { body }, response) => reply(response, 200, Object.fromEntries(
    missing(database, body).map(([id, revisions]) => [id, { missing: revisions }]))),
};

function describe(database, response) {
  reply(response, 200, {
    db_name: database.name,
    doc_count: database.documents,
    doc_del_count: database.deletedDocuments,
    update_seq: sequences.opaque(database.sequence),
  });
}

function allDocs(database, { query, body }, response) {
  const keys = body?.keys || valueOf(query.keys) || (query.key && [valueOf(query.key)]);
  const ids = keys || idsOfRange(database, query);
  return replyInParts(response, list(
    `{"total_rows":${database.documents},"offset":0,"rows":[\n`,
    ids, (id) => row(database, id, query),
    '\n]}\n',
  ));
}

/** The texts of a list in JSON. Each is made when it is needed. */
function* list(start, values, textOf, end) {
  yield start;
  for (const [i, value] of values.entries()) {
    yield (i ? ',\n' : '') + textOf(value);
  }
  yield end;
}

function idsOfRange(database, query) {
  const first = valueOf(query.startkey ?? query.start_key);
  const last = valueOf(query.endkey ?? query.end_key);
  const [from, to] = query.descending === 'true' ? [last, first] : [first, last];
  const ids = database.ids().sort()
    .filter((id) => (from === undefined || id >= from) && (to === undefined || id <= to));
  const ordered = query.descending === 'true' ? ids.reverse() : ids;
  const skip = Number(query.skip || 0);
  return ordered.slice(skip, skip + Number(query.limit ?? Infinity));
}

function row(database, id, query) {
  const found = database.find(id);
  const key = JSON.stringify(id);
  if (!found) {
    return `{"key":${key},"error":"not_found"}`;
  }
  const { winner } = found.tree;
  const value = `{"rev":"${winner.revision}"${winner.deleted ? ',"deleted":true' : ''}}`;
  const text = `{"id":${key},"key":${key},"value":${value}`;
  if (query.include_docs !== 'true') {
    return text + '}';
  }
  return `${text},"doc":${winner.deleted ? 'null' : documentText(id, winner, found.tree, query)}}`;
}

/** Writes each document by itself, in turn. One that cannot be read makes CouchDB refuse the whole request. */
function bulkDocs(database, { body }, response) {
  if (!Array.isArray(body?.docs)) {
    throw new Refusal(400, 'bad_request', 'POST body must include `docs` parameter.');
  }
  const documents = body.docs.map((json) => readDocument(json));
  if (body.new_edits === false) {
    documents.forEach((document) => database.writeReplicated(document));
    return reply(response, 201, []);
  }
  reply(response, 201, documents.map((document) => {
    try {
      return { ok: true, id: document.id, rev: write(database, document) };
    } catch (refusal) {
      if (refusal instanceof Refusal && refusal.status === 409) {
        return { id: document.id, error: refusal.error, reason: refusal.message };
      }
      throw refusal;
    }
  }));
}

/** Writes an ordinary or a local document. */
function write(database, document) {
  if (!document.id.startsWith('_local/')) {
    return database.write(document);
  }
  return document.deleted ? database.removeLocal(document.id) : database.writeLocal(document.id, document.content);
}

function bulkGet(database, { query, body }, response) {
  if (!Array.isArray(body?.docs)) {
    throw new Refusal(400, 'bad_request', "Missing JSON list of 'docs'.");
  }
  return replyInParts(response, list(
    '{"results":[\n',
    body.docs, (wanted) => version(database, wanted, query),
    '\n]}\n',
  ));
}

function version(database, { id, rev }, query) {
  const { tree } = database.find(id) || {};
  const leaf = tree && (rev ? tree.leaf(rev) : tree.winner);
  const found = leaf
    ? `{"ok":${documentText(id, leaf, tree, query)}}`
    : JSON.stringify({ error: { id, rev, error: 'not_found', reason: 'missing' } });
  return `{"id":${JSON.stringify(id)},"docs":[${found}]}`;
}

/** Of revisions by document those that the database does not have. */
function missing(database, revisions) {
  return Object.entries(revisions)
    .map(([id, all]) => [id, all.filter((revision) => !database.find(id)?.tree.has(revision))])
    .filter(([, rest]) => rest.length);
}

module.exports = { HANDLERS, describe, write };
