'use strict';

/** A request that is refused, with the words of CouchDB. */
class Refusal extends Error {
  constructor(status, error, reason) {
    super(reason);
    this.status = status;
    this.error = error;
  }
}

module.exports = { Refusal };
