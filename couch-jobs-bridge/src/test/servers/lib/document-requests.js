'use strict';

const { write } = require('./database-requests');
const { documentText, readDocument } = require('./documents');
const { Refusal } = require('./refusal');
const { reply, valueOf } = require('./requests');

/** Answers a request for a document. */
function answerDocument(database, id, request, response) {
  const { method, query, body } = request;
  if (method === 'PUT') {
    put(database, id, request, response);
  } else if (method === 'DELETE') {
    remove(database, id, request, response);
  } else if (method !== 'GET' && method !== 'HEAD') {
    throw new Refusal(405, 'method_not_allowed', 'Only DELETE,GET,HEAD,PUT allowed');
  } else if (id.startsWith('_local/')) {
    const { revision, content } = localOf(database, id);
    reply(response, 200, documentText(id, { revision, content }));
  } else if (query.open_revs) {
    openRevisions(database, id, query, response);
  } else {
    read(database, id, query, response);
  }
}

function localOf(database, id) {
  const found = database.local(id);
  if (!found) {
    throw new Refusal(404, 'not_found', 'missing');
  }
  return found;
}

function treeOf(database, id) {
  const found = database.find(id);
  if (!found) {
    throw new Refusal(404, 'not_found', 'missing');
  }
  return found.tree;
}

function read(database, id, query, response) {
  const tree = treeOf(database, id);
  const leaf = query.rev ? tree.leaf(query.rev) : tree.winner;
  if (!leaf || (leaf.deleted && !query.rev)) {
    throw new Refusal(404, 'not_found', leaf ? 'deleted' : 'missing');
  }
  reply(response, 200, documentText(id, leaf, tree, query) + '\n', { ETag: `"${leaf.revision}"` });
}

function openRevisions(database, id, query, response) {
  const tree = treeOf(database, id);
  const revisions = query.open_revs === 'all' ? tree.leaves.map((leaf) => leaf.revision) : valueOf(query.open_revs);
  const versions = revisions.map((revision) => {
    const leaf = tree.leaf(revision);
    return leaf ? `{"ok":${documentText(id, leaf, tree, query)}}` : `{"missing":"${revision}"}`;
  });
  reply(response, 200, `[${versions.join(',')}]\n`);
}

/** The revision that a request names: in its address, in If-Match, or in the document. */
function revisionOf({ query, headers }, document) {
  return query.rev || (headers['if-match'] || '').replaceAll('"', '') || document?.revision;
}

function put(database, id, request, response) {
  const document = readDocument(request.body, id);
  if (request.query.new_edits === 'false') {
    database.writeReplicated(document);
    return reply(response, 201, { ok: true, id, rev: document.history[0] });
  }
  const revision = write(database, { ...document, revision: revisionOf(request, document) });
  reply(response, 201, { ok: true, id, rev: revision }, { ETag: `"${revision}"` });
}

function remove(database, id, request, response) {
  if (id.startsWith('_local/')) {
    localOf(database, id);
    database.removeLocal(id);
    return reply(response, 200, { ok: true, id, rev: '0-0' });
  }
  if (treeOf(database, id).winner.deleted) {
    throw new Refusal(404, 'not_found', 'deleted');
  }
  const deletion = { id, revision: revisionOf(request), deleted: true, content: '{}' };
  reply(response, 200, { ok: true, id, rev: database.write(deletion) });
}

module.exports = { answerDocument };
