'use strict';

const express = require('express');
const { refuse } = require('./replies');

const DATABASE_NAME = /^(_replicator|_users|[a-z][a-z0-9_$()+/-]*)$/;

/** What express-pouchdb gets wrong in requests, and CouchDB does not. */
function mendedRequests() {
  const router = express.Router();
  router.use(onlyJsonBodies);
  router.use(express.json({ limit: '64mb', strict: false }));
  router.use((error, request, response, next) => refuse(response, 400, 'bad_request', 'invalid UTF-8 JSON'));
  router.put('/:db', legalNames);
  router.post('/:db/_bulk_get', nothingIsAnswered);
  router.use('/:db/:id', revisionsCount);
  return router;
}

/** A body of another kind would be stored as {}. */
function onlyJsonBodies(request, response, next) {
  const writes = /^(PUT|POST)$/.test(request.method) && Number(request.headers['content-length']) > 0;
  if (writes && !request.is('json') && request.path.split('/').length < 4) {
    return refuse(response, 415, 'bad_content_type', 'Content-Type must be application/json');
  }
  if (!request.headers.accept || request.headers.accept === '*/*') {
    request.headers.accept = 'application/json';
  }
  next();
}

function legalNames(request, response, next) {
  if (DATABASE_NAME.test(request.params.db)) {
    return next();
  }
  refuse(response, 400, 'illegal_database_name', `Name: '${request.params.db}'.`);
}

/** A request for no documents would never be answered. */
function nothingIsAnswered(request, response, next) {
  if (request.body && request.body.docs && !request.body.docs.length) {
    return response.json({ results: [] });
  }
  next();
}

/**
 * Writes the documents of a request one by one if it has a document twice. Together, a conflict of the first would leave
 * a revision without a body if the second is written; then no request of the database would be answered again.
 */
function repeatedDocuments(open) {
  return (request, response, next) => {
    const docs = request.body && request.body.docs;
    const ids = Array.isArray(docs) ? docs.map((doc) => doc && doc._id).filter(Boolean) : [];
    if (request.body.new_edits === false || new Set(ids).size === ids.length) {
      return next();
    }
    writeOneByOne(request.params.db, docs).then((results) => results ? response.status(201).json(results) : next(), next);
  };

  async function writeOneByOne(name, docs) {
    const db = await open(name);
    const results = [];
    for (const doc of db ? docs : []) {
      const [result] = await db.bulkDocs([doc]).catch((error) => [error]);
      results.push(result.error ? { id: doc._id, error: result.name, reason: result.message } : result);
    }
    return db && results;
  }
}

/** If-Match would always be a conflict, and a deletion without a revision always a success. */
function revisionsCount(request, response, next) {
  if (!/^(PUT|DELETE)$/.test(request.method) || /^_(security|config)/.test(request.params.id)) {
    return next();
  }
  const revision = (request.headers['if-match'] || '').replace(/"/g, '');
  if (revision) {
    request.query.rev = revision;
    if (request.body) {
      request.body._rev = revision;
    }
    delete request.headers['if-match'];
  }
  if (request.method === 'DELETE' && !request.query.rev && !/^_/.test(request.params.db)) {
    return refuse(response, 409, 'conflict', 'Document update conflict.');
  }
  next();
}

module.exports = { mendedRequests, repeatedDocuments };
