'use strict';

const { createHash } = require('crypto');
const { generation } = require('./revisions');
const { Refusal } = require('./refusal');

/** The attachments of a document that is written. A stub refers to an attachment that the document has. */
function storedAttachments(id, attachments, tree, parent) {
  if (!attachments || !Object.keys(attachments).length) {
    return undefined;
  }
  const stored = {};
  for (const [name, attachment] of Object.entries(attachments)) {
    stored[name] = attachment.stub ? known(id, name, tree) : added(attachment, parent);
  }
  return stored;
}

function known(id, name, tree) {
  const leaf = tree.leaves.find((each) => each.attachments && each.attachments[name]);
  if (!leaf) {
    throw new Refusal(412, 'missing_stub', `Invalid attachment stub in ${id} for ${name}`);
  }
  return leaf.attachments[name];
}

function added({ content_type: type, data, revpos }, parent) {
  const bytes = Buffer.from(data, 'base64');
  return {
    content_type: type || 'application/octet-stream',
    revpos: revpos || (parent ? generation(parent) + 1 : 1),
    digest: 'md5-' + createHash('md5').update(bytes).digest('base64'),
    length: bytes.length,
    data,
  };
}

/** The member _attachments of an answer: with the data, or as stubs. */
function shownAttachments(attachments, withData) {
  return Object.fromEntries(Object.entries(attachments).map(([name, { data, length, ...rest }]) =>
    [name, withData ? { ...rest, data } : { ...rest, length, stub: true }]));
}

module.exports = { shownAttachments, storedAttachments };
