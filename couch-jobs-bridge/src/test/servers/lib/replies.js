'use strict';

/** Refuses a request in CouchDB's words. */
function refuse(response, status, error, reason) {
  response.status(status).json({ error, reason });
}

module.exports = { refuse };
