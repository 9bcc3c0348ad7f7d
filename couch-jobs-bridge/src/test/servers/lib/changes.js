'use strict';

const { documentText } = require('./documents');
const { filterOf } = require('./filters');
const { Refusal } = require('./refusal');
const sequences = require('./sequences');

const LONGEST_WAIT = 60_000;

/** Answers a request for the changes of a database: at once, or with a feed that goes on. */
function answerChanges(database, query, body, response) {
  const since = query.since === 'now' ? database.sequence : sequences.parse(query.since || 0);
  if (since === undefined) {
    throw new Refusal(400, 'bad_request', "Malformed sequence supplied in 'since' parameter.");
  }
  const limit = query.limit === undefined ? Infinity : Math.max(Number(query.limit), 1);
  const read = reader(database, query, body);
  if (query.feed === 'continuous') {
    return new ContinuousFeed(database, query, response, read, since, limit).begin();
  }
  const found = read(since, limit);
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.write('{"results":[\n');
  if (query.feed === 'longpoll' && !found.rows.length) {
    return new LongPoll(database, query, response, read, since, limit).begin();
  }
  endResults(response, found.rows, found.last, [...database.changedSince(found.last)].length);
}

function endResults(response, rows, last, pending) {
  response.end(`${rows.join(',\n')}\n],\n"last_seq":"${sequences.opaque(last)}","pending":${pending}}\n`);
}

/** A function that reads rows after a sequence, up to a limit. */
function reader(database, query, body) {
  const passes = filterOf(database, query, body);
  return (since, limit) => {
    const rows = [];
    let last = since;
    for (const document of database.changedSince(since)) {
      if (rows.length >= limit) {
        break;
      }
      last = document.sequence;
      const candidates = query.style === 'all_docs' ? document.tree.leaves : [document.tree.winner];
      const leaves = candidates.filter((leaf) => passes(document, leaf));
      if (leaves.length) {
        rows.push(row(document, leaves, query));
      }
    }
    return { rows, last };
  };
}

function row({ id, tree, sequence }, leaves, query) {
  const change = { seq: sequences.opaque(sequence), id, changes: leaves.map(({ revision }) => ({ rev: revision })) };
  if (tree.isDeleted) {
    change.deleted = true;
  }
  const text = JSON.stringify(change);
  return query.include_docs === 'true'
    ? `${text.slice(0, -1)},"doc":${documentText(id, tree.winner, tree, query)}}`
    : text;
}

/** A feed goes on until the client goes, the database is deleted, or nothing comes for too long. */
class Feed {
  #timer;
  #isOver = false;

  constructor(database, query, response, read, since, limit) {
    Object.assign(this, { database, query, response, read, last: since, limit });
  }

  begin() {
    this.end = this.end.bind(this);
    this.look = this.look.bind(this);
    this.database.on('changed', this.look).on('destroyed', this.end);
    this.response.on('close', this.end);
    this.wait();
    this.look();
    if (this.response.destroyed) { // the client went before the feed began
      this.end();
    }
  }

  /** Sends heartbeats from now on, or ends when nothing comes in time. */
  wait() {
    clearTimeout(this.#timer);
    const { heartbeat, timeout } = this.query;
    this.#timer = heartbeat
      ? setInterval(() => this.response.write('\n'), Number(heartbeat) || LONGEST_WAIT)
      : setTimeout(this.end, Math.min(Number(timeout) || LONGEST_WAIT, LONGEST_WAIT));
  }

  look() {
    const { rows, last } = this.read(this.last, this.limit);
    this.last = last;
    if (rows.length) {
      this.wait();
      this.take(rows);
    }
  }

  end() {
    if (!this.#isOver) {
      this.#isOver = true;
      clearTimeout(this.#timer);
      this.database.off('changed', this.look).off('destroyed', this.end);
      this.finish();
    }
  }
}

/** A line for each change as it comes. */
class ContinuousFeed extends Feed {
  begin() {
    this.response.writeHead(200, { 'Content-Type': 'application/json' });
    this.response.write('\n');
    super.begin();
  }

  take(rows) {
    this.response.write(rows.join('\n') + '\n');
    this.limit -= rows.length;
    if (this.limit <= 0) {
      this.end();
    }
  }

  finish() {
    this.response.end(`{"last_seq":"${sequences.opaque(this.last)}","pending":0}\n`);
  }
}

/** Waits for the first change. */
class LongPoll extends Feed {
  rows = [];

  take(rows) {
    this.rows = rows;
    this.end();
  }

  finish() {
    endResults(this.response, this.rows, this.last, 0);
  }
}

module.exports = { answerChanges };
