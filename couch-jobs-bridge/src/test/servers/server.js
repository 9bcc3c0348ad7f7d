'use strict';
// node server.js PORT [DIRECTORY]
//
// A server for tests with the interface of CouchDB. Port 0 selects a free one. Without a directory the data ends with the process.
// With USER_AND_PASSWORD=name:password in the environment it requires these. It prints "listening on PORT" when it is up, and
// ends with its standard input, so that it never outlives the test.

const fs = require('fs');
const os = require('os');
const path = require('path');
const express = require('express');
const { authentication } = require('./lib/authentication');
const { changes } = require('./lib/changes');
const { databases } = require('./lib/databases');
const { mendedRequests, repeatedDocuments } = require('./lib/requests');

/** Parts that no test uses, or that this file replaces. 'disk-size' scans all files for each request. */
const UNUSED = ['disk-size', 'validation', 'compression', 'routes/http-log', 'routes/fauxton', 'routes/session'];

const [port, directory] = [Number(process.argv[2]), process.argv[3]];
const base = directory ? path.resolve(directory) : fs.mkdtempSync(path.join(os.tmpdir(), 'couch-jobs-server-'));
fs.mkdirSync(base, { recursive: true });
if (!directory) {
  process.on('exit', () => fs.rmSync(base, { recursive: true, force: true }));
}

const { PouchDB, open } = databases(base, Boolean(directory));
const couch = require('express-pouchdb')(PouchDB, {
  configPath: path.join(base, 'config.json'),
  logPath: path.join(base, 'log.txt'),
  overrideMode: { exclude: UNUSED },
});

const app = express().disable('x-powered-by');
app.use(authentication(process.env.USER_AND_PASSWORD));
app.use(mendedRequests());
app.all('/:db/_changes', changes(open));
app.post('/:db/_bulk_docs', repeatedDocuments(open));
app.use(couch);

process.stdin.on('end', () => process.exit(0)).resume();
const server = app.listen(port, '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
server.on('error', (error) => {
  console.error(error);
  process.exit(1);
});
// As in CouchDB, a request that fails does not affect others.
process.on('uncaughtException', (error) => console.error('ignored an uncaught error:', error));
