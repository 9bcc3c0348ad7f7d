'use strict';

const { EventEmitter } = require('events');
const { storedAttachments } = require('./attachments');
const { Refusal } = require('./refusal');
const { RevisionTree, nextRevision } = require('./revisions');

/** A database. It emits 'changed' after writes, once for all those of a request, and 'destroyed' at its end. */
class Database extends EventEmitter {
  /** Documents {id, tree, sequence} by id. */
  #documents = new Map();
  /** The document of each sequence; nothing if it has changed again. */
  #bySequence = [];
  #locals = new Map();
  #record;
  #willEmit = false;
  sequence = 0;
  deletedDocuments = 0;

  /** Calls record(kind, id, ...) for each write, with what restore(kind, id, ...) takes. */
  constructor(name, record) {
    super();
    this.setMaxListeners(0);
    this.name = name;
    this.#record = record;
  }

  /** The document of an id; undefined if there never was one. */
  find(id) {
    return this.#documents.get(id);
  }

  /** The ids of the documents that are not deleted. */
  ids() {
    return [...this.#documents.values()].filter(({ tree }) => !tree.isDeleted).map(({ id }) => id);
  }

  get documents() {
    return this.#documents.size - this.deletedDocuments;
  }

  /** The documents that have changed after a sequence, each once, in the order of their last change. */
  * changedSince(sequence) {
    for (let i = sequence + 1; i <= this.sequence; i++) {
      if (this.#bySequence[i]) {
        yield this.#bySequence[i];
      }
    }
  }

  /** Writes an edit of a document, and returns its revision. */
  write({ id, revision, deleted, content, attachments }) {
    const tree = this.#treeOf(id);
    const { conflict, parent } = tree.parentOf(revision, deleted);
    if (conflict) {
      throw new Refusal(409, 'conflict', 'Document update conflict.');
    }
    const leaf = { deleted, content, attachments: storedAttachments(id, attachments, tree, parent) };
    const next = nextRevision(parent, leaf);
    this.#add(id, parent ? [next, parent] : [next], leaf);
    return next;
  }

  /** Writes a revision of another database, with its history. */
  writeReplicated({ id, history, deleted, content, attachments }) {
    if (!history[0]) {
      throw new Refusal(400, 'bad_request', 'A document without a revision');
    }
    const tree = this.#treeOf(id);
    this.#add(id, history, { deleted, content, attachments: storedAttachments(id, attachments, tree, history[1]) });
  }

  #treeOf(id) {
    const found = this.#documents.get(id);
    return found ? found.tree : new RevisionTree();
  }

  #add(id, history, leaf) {
    const document = this.#documents.get(id) || { id, tree: new RevisionTree(), sequence: 0 };
    const wasDeleted = document.tree.isDeleted;
    if (!document.tree.add(history, leaf)) {
      return;
    }
    this.#documents.set(id, document);
    this.deletedDocuments += Number(document.tree.isDeleted) - Number(wasDeleted);
    this.#bySequence[document.sequence] = undefined;
    this.sequence += 1;
    document.sequence = this.sequence;
    this.#bySequence[this.sequence] = document;
    this.#record('document', id, history, leaf);
    this.#emitSoon();
  }

  #emitSoon() {
    if (!this.#willEmit) {
      this.#willEmit = true;
      queueMicrotask(() => {
        this.#willEmit = false;
        this.emit('changed');
      });
    }
  }

  /** A local document {revision, content}. */
  local(id) {
    return this.#locals.get(id);
  }

  /** Writes a local document. As in CouchDB, the last writer wins. */
  writeLocal(id, content) {
    const before = this.#locals.get(id);
    const revision = `0-${before ? Number(before.revision.slice(2)) + 1 : 1}`;
    this.restore('local', id, { revision, content });
    this.#record('local', id, { revision, content });
    return revision;
  }

  removeLocal(id) {
    this.#locals.delete(id);
    this.#record('local', id);
  }

  /** Repeats a write that was recorded. */
  restore(kind, id, ...args) {
    if (kind === 'document') {
      this.#add(id, ...args);
    } else if (args[0]) {
      this.#locals.set(id, args[0]);
    } else {
      this.#locals.delete(id);
    }
  }
}

module.exports = { Database };
