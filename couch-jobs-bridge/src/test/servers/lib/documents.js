'use strict';

const { randomUUID } = require('crypto');
const { shownAttachments } = require('./attachments');
const { Refusal } = require('./refusal');
const { generation } = require('./revisions');

/** The default of CouchDB's max_document_size. */
const LARGEST = 8_000_000;
const SPECIAL = ['_id', '_rev', '_deleted', '_attachments', '_revisions', '_conflicts', '_deleted_conflicts',
  '_revs_info', '_local_seq'];

/** A document of a request: {id, revision, history, deleted, content, attachments}. */
function readDocument(json, idOfPath) {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new Refusal(400, 'bad_request', 'Document must be a JSON object');
  }
  const id = idOfPath ?? json._id ?? randomUUID().replaceAll('-', '');
  checkId(id);
  const members = Object.entries(json).filter(([name]) => !isSpecial(name));
  const content = JSON.stringify(Object.fromEntries(members));
  if (content.length > LARGEST) {
    throw new Refusal(413, 'document_too_large', id);
  }
  const revisions = json._revisions;
  return {
    id,
    revision: json._rev,
    history: revisions ? revisions.ids.map((hash, i) => `${revisions.start - i}-${hash}`) : [json._rev],
    deleted: json._deleted === true,
    content,
    attachments: json._attachments,
  };
}

function isSpecial(name) {
  if (!name.startsWith('_') || name.startsWith('_replication_')) {
    return false;
  }
  if (!SPECIAL.includes(name)) {
    throw new Refusal(400, 'doc_validation', `Bad special document member: ${name}`);
  }
  return true;
}

function checkId(id) {
  if (typeof id !== 'string') {
    throw new Refusal(400, 'illegal_docid', 'Document id must be a string');
  }
  if (id === '') {
    throw new Refusal(400, 'illegal_docid', 'Document id must not be empty');
  }
  if (id.startsWith('_') && !/^_(design|local)\/./.test(id)) {
    throw new Refusal(400, 'illegal_docid', 'Only reserved document ids may start with underscore.');
  }
}

/** The JSON of a leaf. The query says what to add: conflicts, deleted_conflicts, revs, attachments. */
function documentText(id, leaf, tree, query = {}) {
  const special = { _id: id, _rev: leaf.revision };
  if (leaf.deleted) {
    special._deleted = true;
  }
  if (leaf.attachments) {
    special._attachments = shownAttachments(leaf.attachments, query.attachments === 'true');
  }
  if (query.revs === 'true') {
    const history = tree.history(leaf.revision);
    const ids = history.map((revision) => revision.slice(revision.indexOf('-') + 1));
    special._revisions = { start: generation(leaf.revision), ids };
  }
  const others = (deleted) => tree.leaves
    .filter((other) => other !== leaf && other.deleted === deleted)
    .map((other) => other.revision);
  if (query.conflicts === 'true' && others(false).length) {
    special._conflicts = others(false);
  }
  if (query.deleted_conflicts === 'true' && others(true).length) {
    special._deleted_conflicts = others(true);
  }
  const text = JSON.stringify(special);
  return leaf.content === '{}' ? text : `${text.slice(0, -1)},${leaf.content.slice(1)}`;
}

module.exports = { documentText, readDocument };
