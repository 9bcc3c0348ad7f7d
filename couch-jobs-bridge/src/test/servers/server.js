'use strict';
// node server.js PORT [DIRECTORY]
//
// A server that talks as CouchDB does, for tests. Port 0 takes a free one. Without a directory nothing outlives the process.
// USER_AND_PASSWORD=name:password in the environment makes it ask for them. Prints "listening on PORT" when it is up, and
// ends when its standard input does: no test leaves one behind, however the test ends.

const fs = require('fs');
const os = require('os');
const path = require('path');
const express = require('express');
const { authentication } = require('./lib/authentication');
const { changes } = require('./lib/changes');
const { databases } = require('./lib/databases');
const { mendedRequests } = require('./lib/requests');

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
  overrideMode: { exclude: ['validation', 'compression', 'routes/fauxton', 'routes/session'] },
});

const app = express().disable('x-powered-by');
app.use(authentication(process.env.USER_AND_PASSWORD));
app.use(mendedRequests());
app.all('/:db/_changes', changes(open));
app.use(couch);

process.stdin.on('end', () => process.exit(0)).resume();
const server = app.listen(port, '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
server.on('error', (error) => {
  console.error(error);
  process.exit(1);
});
// In CouchDB, a request that goes wrong ends nothing but itself.
process.on('uncaughtException', (error) => console.error('went on after', error));
