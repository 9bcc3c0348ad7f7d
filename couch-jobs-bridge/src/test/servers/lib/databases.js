'use strict';

require('events').defaultMaxListeners = 0;

/** The kind of database: on disk below a directory, or in memory. */
function databases(base, onDisk) {
  // The adapter is not a default, which replication would use for remote databases, too.
  const PouchDB = require('pouchdb-core')
    .plugin(require('pouchdb-adapter-http'))
    .plugin(require('pouchdb-replication'))
    .plugin(require('pouchdb-mapreduce'))
    .plugin(onDisk ? require('pouchdb-adapter-leveldb') : require('pouchdb-adapter-memory'))
    .defaults({ prefix: base + require('path').sep });
  const opened = new Map();

  async function open(name) {
    if (!(await PouchDB.allDbs()).includes(name)) {
      opened.delete(name);
      return null;
    }
    if (!opened.has(name)) {
      const db = new PouchDB(name);
      db.once('destroyed', () => opened.delete(name));
      opened.set(name, db);
    }
    return opened.get(name);
  }

  return { PouchDB, open };
}

module.exports = { databases };
