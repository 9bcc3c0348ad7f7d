'use strict';

const http = require('http');
const { setTimeout: sleep } = require('timers/promises');

const PAUSE = 200;
const HEARTBEAT = 10_000;
/** How many changes are copied together. */
const BATCH = 100;
const agent = new http.Agent({ keepAlive: true });

/** One end of a replication: a database, as this server reaches it. */
class End {
  constructor(end) {
    const { url, headers = {} } = typeof end === 'string' ? { url: end } : end;
    const { username, password, hostname, port, pathname } = new URL(url);
    this.path = pathname.replace(/\/$/, '');
    this.options = { agent, hostname, port: port || 80, headers: { ...headers, 'Content-Type': 'application/json' } };
    if (username) {
      this.options.auth = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    }
  }

  /** The answer to a request, before its body has come; fails if it is no success. */
  open(path, body, signal) {
    return new Promise((resolve, reject) => {
      const options = { ...this.options, method: 'POST', path: this.path + path, signal };
      const request = http.request(options, (response) => {
        if (response.statusCode >= 300) {
          response.resume();
          reject(new Error(`${path} was answered with ${response.statusCode}`));
        }
        resolve(response.setEncoding('utf8'));
      });
      request.on('error', reject);
      request.setTimeout(3 * HEARTBEAT, () => request.destroy(new Error(`${path} was not answered`)));
      request.end(JSON.stringify(body));
    });
  }

  async send(path, body, signal) {
    let text = '';
    for await (const part of await this.open(path, body, signal)) {
      text += part;
    }
    return JSON.parse(text);
  }
}

/**
 * Copies the changes of one database to another, over HTTP. It has no checkpoint: each attempt starts from the
 * beginning, because the databases may have been replaced, and what the target has is not copied again.
 */
class Replication {
  #settings;
  #end = new AbortController();
  state = 'initializing';
  error = undefined;

  constructor(settings) {
    this.#settings = settings;
  }

  stop() {
    this.#end.abort();
  }

  /** Ends when all is copied, unless it is continuous, or when it is stopped. */
  async run() {
    while (!this.#end.signal.aborted && this.state !== 'completed') {
      try {
        await this.#attempt();
        this.state = 'completed';
      } catch (error) {
        this.state = 'crashing';
        this.error = error.message || error.code;
        await sleep(PAUSE, undefined, { signal: this.#end.signal }).catch(() => {});
      }
    }
  }

  async #attempt() {
    const { source, target, continuous, filter, query_params: parameters, selector, doc_ids: ids } = this.#settings;
    const [from, to] = [new End(source), new End(target)];
    const kind = filter || (selector && '_selector') || (ids && '_doc_ids');
    const query = new URLSearchParams({
      style: 'all_docs',
      ...(continuous && { feed: 'continuous', heartbeat: HEARTBEAT }),
      ...parameters,
      ...(kind && { filter: kind }),
    });
    const path = `/_changes?${query}`;
    const body = { selector, doc_ids: ids };
    if (!continuous) {
      const { results } = await from.send(path, body, this.#end.signal);
      return this.#copyAll(from, to, results);
    }
    const feed = await from.open(path, body, this.#end.signal);
    this.state = 'running';
    this.error = undefined;
    let rest = '';
    for await (const part of feed) {
      const lines = (rest + part).split('\n');
      rest = lines.pop();
      const rows = lines.filter(Boolean).map((line) => JSON.parse(line)).filter(({ id }) => id !== undefined);
      await this.#copyAll(from, to, rows);
    }
    throw new Error('The feed of the source has ended');
  }

  async #copyAll(from, to, rows) {
    for (let i = 0; i < rows.length; i += BATCH) {
      await this.#copy(from, to, rows.slice(i, i + BATCH));
    }
  }

  async #copy(from, to, rows) {
    const revisions = Object.fromEntries(rows.map(({ id, changes }) => [id, changes.map(({ rev }) => rev)]));
    const wanted = Object.entries(await to.send('/_revs_diff', revisions, this.#end.signal))
      .flatMap(([id, { missing }]) => missing.map((rev) => ({ id, rev })));
    if (!wanted.length) {
      return;
    }
    const { results } = await from.send('/_bulk_get?revs=true&attachments=true', { docs: wanted }, this.#end.signal);
    // A revision that is no longer a leaf is missing. Its successor comes with a later change.
    const docs = results.flatMap((result) => result.docs).filter(({ ok }) => ok).map(({ ok }) => ok);
    await to.send('/_bulk_docs', { docs, new_edits: false }, this.#end.signal);
  }
}

/** Runs the replications of the database _replicator. */
class Replicator {
  #running = new Map();

  constructor(databases) {
    databases.on('created', (database) => this.#follow(database));
    databases.names().forEach((name) => this.#follow(databases.get(name)));
  }

  /** The replication of a document; undefined if there is none. */
  get(id) {
    return this.#running.get(id);
  }

  #follow(database) {
    if (database.name !== '_replicator') {
      return;
    }
    let last = 0;
    const look = () => {
      for (const { id, tree, sequence } of database.changedSince(last)) {
        last = sequence;
        this.#update(database, id, tree.winner);
      }
    };
    database.on('changed', look).on('destroyed', () => [...this.#running.keys()].forEach((id) => this.#stop(id)));
    look();
  }

  #stop(id) {
    this.#running.get(id)?.stop();
    this.#running.delete(id);
  }

  #update(database, id, { revision, deleted, content }) {
    const settings = JSON.parse(content);
    this.#stop(id);
    if (deleted || id.startsWith('_design/') || settings._replication_state) {
      return;
    }
    const replication = new Replication(settings);
    this.#running.set(id, replication);
    replication.run().then(() => {
      if (replication.state === 'completed' && this.get(id) === replication) {
        const completed = JSON.stringify({ ...settings, _replication_state: 'completed' });
        database.write({ id, revision, deleted: false, content: completed });
      }
    });
  }
}

module.exports = { Replicator };
