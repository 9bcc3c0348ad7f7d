'use strict';
// node server.js PORT [DIRECTORY]
//
// A server for tests with the interface of CouchDB: what the bridge and its tests use, and no more. Port 0 selects a
// free one. Without a directory the data ends with the process. With USER_AND_PASSWORD=name:password in the environment
// it requires these. It prints "listening on PORT" when it is up, and ends with its standard input, so that it never
// outlives the test.

const http = require('http');
const { Databases } = require('./lib/databases');
const { Replicator } = require('./lib/replication');
const { requestHandler } = require('./lib/server-requests');

const IDLE = 300_000;

const [port, directory] = [Number(process.argv[2]), process.argv[3]];
const databases = new Databases(directory);
const replicator = new Replicator(databases);
const handler = requestHandler(databases, replicator, process.env.USER_AND_PASSWORD);
const server = http.createServer({ keepAliveTimeout: IDLE, maxHeaderSize: 65_536 }, handler);

process.stdin.on('end', () => process.exit(0)).resume();
server.listen(port, '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
server.on('error', (error) => {
  console.error(error);
  process.exit(1);
});
// As in CouchDB, a request that fails does not affect others.
process.on('uncaughtException', (error) => console.error('ignored an uncaught error:', error));
