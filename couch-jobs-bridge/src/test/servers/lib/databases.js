'use strict';

const { EventEmitter } = require('events');
const fs = require('fs');
const path = require('path');
const { Database } = require('./database');
const { Refusal } = require('./refusal');

const LEGAL_NAME = /^(_replicator|_users|_global_changes|[a-z][a-z0-9_$()+/-]*)$/;

/**
 * The databases of a server. With a directory they outlive the process: each write is a line of a journal there, from
 * before its answer. It emits 'created' with each new database.
 */
class Databases extends EventEmitter {
  #databases = new Map();
  #journal;

  constructor(directory) {
    super();
    if (directory) {
      fs.mkdirSync(directory, { recursive: true });
      const file = path.join(directory, 'journal');
      this.#restore(file);
      this.#journal = fs.openSync(file, 'a');
    }
  }

  names() {
    return [...this.#databases.keys()].sort();
  }

  get(name) {
    const database = this.#databases.get(name);
    if (!database) {
      throw new Refusal(404, 'not_found', 'Database does not exist.');
    }
    return database;
  }

  create(name) {
    if (!LEGAL_NAME.test(name)) {
      throw new Refusal(400, 'illegal_database_name', `Name: '${name}'. Only lowercase characters (a-z), digits (0-9),`
        + ' and any of the characters _, $, (, ), +, -, and / are allowed. Must begin with a letter.');
    }
    if (this.#databases.has(name)) {
      throw new Refusal(412, 'file_exists', 'The database could not be created, the file already exists.');
    }
    this.#record(name, 'create');
    const database = new Database(name, (...entry) => this.#record(name, ...entry));
    this.#databases.set(name, database);
    this.emit('created', database);
  }

  remove(name) {
    const database = this.get(name);
    this.#databases.delete(name);
    this.#record(name, 'remove');
    database.emit('destroyed');
  }

  #record(...entry) {
    if (this.#journal !== undefined) {
      fs.writeSync(this.#journal, JSON.stringify(entry) + '\n');
    }
  }

  #restore(file) {
    if (!fs.existsSync(file)) {
      return;
    }
    const bytes = fs.readFileSync(file);
    const end = bytes.lastIndexOf('\n') + 1; // the process may have been killed within a line
    fs.truncateSync(file, end);
    for (const line of bytes.toString('utf8', 0, end).split('\n').filter(Boolean)) {
      const [name, kind, ...entry] = JSON.parse(line);
      if (kind === 'create') {
        this.create(name);
      } else if (kind === 'remove') {
        this.remove(name);
      } else {
        this.get(name).restore(kind, ...entry);
      }
    }
  }
}

module.exports = { Databases };
