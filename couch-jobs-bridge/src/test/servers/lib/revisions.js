'use strict';

const { createHash } = require('crypto');

const generation = (revision) => Number.parseInt(revision, 10);

/** The revision after an edit: equal edits of one revision give equal revisions on all servers. */
function nextRevision(parent, leaf) {
  const attachments = Object.entries(leaf.attachments || {}).map(([name, { digest }]) => [name, digest]);
  const edit = `${parent || ''}\n${leaf.deleted}\n${leaf.content}\n${JSON.stringify(attachments)}`;
  return `${parent ? generation(parent) + 1 : 1}-${createHash('md5').update(edit).digest('hex')}`;
}

/** Not deleted before deleted, then the longer history, then the greater revision: the winner is the first. */
function compareLeaves(one, other) {
  return Number(one.deleted) - Number(other.deleted)
    || generation(other.revision) - generation(one.revision)
    || (one.revision < other.revision ? 1 : -1);
}

/** The revision tree of a document. Only the leaves have a content, as after a compaction. */
class RevisionTree {
  /** The parent of each revision; undefined for the first of a branch. */
  #parents = new Map();
  /** {revision, deleted, content, attachments}, the winner first. The content is JSON without special members. */
  leaves = [];

  get winner() {
    return this.leaves[0];
  }

  get isDeleted() {
    return this.winner !== undefined && this.winner.deleted;
  }

  has(revision) {
    return this.#parents.has(revision);
  }

  leaf(revision) {
    return this.leaves.find((leaf) => leaf.revision === revision);
  }

  /**
   * The parent of an edit, given the revision that the client has edited. A document whose leaves are all deleted can
   * only be created again, without a revision; it then continues from the winner.
   */
  parentOf(revision, deleted) {
    if (!this.winner) {
      return { conflict: Boolean(revision) };
    }
    if (this.isDeleted) {
      return { conflict: Boolean(revision) || deleted, parent: this.winner.revision };
    }
    return { conflict: !revision || !this.leaf(revision), parent: revision };
  }

  /** Adds a leaf with its history: its revision, its parent and so on. Returns whether it is new. */
  add(history, leaf) {
    if (this.has(history[0])) {
      return false;
    }
    let i = 0;
    for (; i < history.length && !this.has(history[i]); i++) {
      this.#parents.set(history[i], history[i + 1]);
    }
    this.leaves = this.leaves.filter((old) => old.revision !== history[i]);
    this.leaves.push({ ...leaf, revision: history[0] });
    this.leaves.sort(compareLeaves);
    return true;
  }

  /** A revision, its parent, and so on. */
  history(revision) {
    const history = [];
    for (let known = revision; known; known = this.#parents.get(known)) {
      history.push(known);
    }
    return history;
  }
}

module.exports = { RevisionTree, generation, nextRevision };
