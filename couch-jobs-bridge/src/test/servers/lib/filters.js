'use strict';

const vm = require('vm');
const { documentText } = require('./documents');
const { Refusal } = require('./refusal');
const { matches } = require('./selectors');

/** The filter of a request for changes: whether a leaf of a document passes. */
function filterOf(database, query, body) {
  const name = query.filter;
  if (!name) {
    return () => true;
  }
  if (name === '_doc_ids') {
    const ids = new Set(body.doc_ids || JSON.parse(query.doc_ids || '[]'));
    return ({ id }) => ids.has(id);
  }
  if (name === '_design') {
    return ({ id }) => id.startsWith('_design/');
  }
  if (name === '_selector') {
    return (document, leaf) => matches(body.selector || {}, parsed(document, leaf));
  }
  const accept = filterFunction(database, name);
  return (document, leaf) => Boolean(accept(parsed(document, leaf), { query, method: 'GET' }));
}

function parsed({ id, tree }, leaf) {
  return JSON.parse(documentText(id, leaf, tree));
}

/** The function of a design document, by the name DESIGN/FUNCTION. */
function filterFunction(database, name) {
  const [design, filter] = name.split('/');
  const found = database.find(`_design/${design}`);
  if (!found || found.tree.isDeleted) {
    throw new Refusal(404, 'not_found', 'missing');
  }
  const source = JSON.parse(found.tree.winner.content).filters?.[filter];
  if (!source) {
    throw new Refusal(404, 'not_found', `missing json key: ${filter}`);
  }
  return vm.runInNewContext(`(${source})`);
}

module.exports = { filterOf };
