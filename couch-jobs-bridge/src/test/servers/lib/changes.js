'use strict';

const { refuse } = require('./replies');
const { opaque, parse } = require('./sequences');

const LONGEST_WAIT = 60000;

/** The handler of _changes: express-pouchdb's own heeds neither time-outs nor limits, and never flushes. */
function changes(open) {
  return (request, response, next) => answer(request, response).catch(next);

  async function answer(request, response) {
    const db = await open(request.params.db);
    if (!db) {
      return refuse(response, 404, 'not_found', 'Database does not exist.');
    }
    const { query } = request;
    const now = (await db.info()).update_seq;
    const since = query.since === 'now' ? now : parse(query.since || request.headers['last-event-id'] || 0);
    if (since === undefined) {
      return refuse(response, 400, 'bad_request', "Malformed sequence supplied in 'since' parameter.");
    }
    const limit = query.limit === undefined ? Infinity : Math.max(Number(query.limit), 1);
    const wanted = options(query, request.body || {}, since);
    if (query.feed === 'continuous') {
      return stream(db, wanted, query, limit, response);
    }
    const found = await db.changes({ ...wanted, ...(limit < Infinity && { limit }) });
    if (query.feed === 'longpoll' && !found.results.length) {
      return poll(db, wanted, query, response);
    }
    response.json({ results: found.results.map(row(query)), last_seq: opaque(found.last_seq), pending: 0 });
  }
}

function options(query, body, since) {
  const wanted = {
    since,
    style: query.style,
    include_docs: query.include_docs === 'true' || query.filter === '_selector',
    conflicts: query.conflicts === 'true',
    attachments: query.attachments === 'true',
    descending: query.descending === 'true',
    query_params: { ...query },
  };
  if (query.filter === '_doc_ids') {
    wanted.doc_ids = body.doc_ids || JSON.parse(query.doc_ids);
  } else if (query.filter === '_selector') {
    wanted.selector = body.selector;
  } else if (query.filter === '_design') {
    wanted.filter = (doc) => doc._id.startsWith('_design/');
  } else if (query.filter) {
    wanted.filter = query.filter;
    wanted.view = query.view;
  }
  return wanted;
}

function row(query) {
  return (change) => ({
    seq: opaque(change.seq),
    id: change.id,
    changes: change.changes,
    ...(change.deleted && { deleted: true }),
    ...(query.include_docs === 'true' && { doc: change.doc }),
  });
}

/** A line for each change as it comes, until the client goes, the limit is reached, or nothing comes for too long. */
function stream(db, wanted, query, limit, response) {
  const line = row(query);
  let last = wanted.since;
  let sent = 0;
  response.status(200).type('application/json').write('\n');
  const live = follow(db, wanted, query, response, {
    changed(change) {
      last = change.seq;
      response.write(JSON.stringify(line(change)) + '\n');
      sent += 1;
      return sent < limit;
    },
    ended: () => response.end(JSON.stringify({ last_seq: opaque(last), pending: 0 }) + '\n'),
  });
  if (query.heartbeat) {
    live.every(Number(query.heartbeat) || LONGEST_WAIT, () => response.write('\n'));
  }
}

/** Waits for the first change. */
function poll(db, wanted, query, response) {
  const line = row(query);
  let last = wanted.since;
  const rows = [];
  response.status(200).type('application/json').write('{"results":[\n');
  const live = follow(db, wanted, query, response, {
    changed(change) {
      last = change.seq;
      rows.push(JSON.stringify(line(change)));
      return false;
    },
    ended: () => response.end(`${rows.join(',\n')}\n],\n"last_seq":${JSON.stringify(opaque(last))},"pending":0}\n`),
  });
  if (query.heartbeat) {
    live.every(Number(query.heartbeat) || LONGEST_WAIT, () => response.write('\n'));
  }
}

function follow(db, wanted, query, response, sink) {
  let over = false;
  let idle;
  let beat;
  const end = () => {
    if (over) {
      return;
    }
    over = true;
    clearTimeout(idle);
    clearInterval(beat);
    live.cancel();
    db.removeListener('destroyed', end);
    sink.ended();
  };
  const waitOn = () => {
    clearTimeout(idle);
    if (!query.heartbeat) {
      idle = setTimeout(end, Math.min(Number(query.timeout) || LONGEST_WAIT, LONGEST_WAIT));
    }
  };
  const live = db.changes({ ...wanted, live: true });
  live.on('change', (change) => {
    if (over) {
      return;
    }
    if (sink.changed(change)) {
      waitOn();
    } else {
      end();
    }
  });
  live.on('error', end).on('complete', end);
  db.once('destroyed', end);
  response.on('close', end);
  waitOn();
  if (response.destroyed) { // the client went before anybody listened
    end();
  }
  return {
    every(milliseconds, action) {
      if (!over) {
        beat = setInterval(action, milliseconds);
      }
    },
  };
}

module.exports = { changes };
