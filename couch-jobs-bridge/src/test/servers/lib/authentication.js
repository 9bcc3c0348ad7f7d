'use strict';

const { randomBytes } = require('crypto');
const { Refusal } = require('./refusal');

/** Lets in whoever sends the name and the password, or the cookie of a session; everybody if none are wanted. */
class Authentication {
  #userAndPassword;
  #basic;
  #sessions = new Set();

  constructor(userAndPassword) {
    this.#userAndPassword = userAndPassword;
    this.#basic = userAndPassword && 'Basic ' + Buffer.from(userAndPassword).toString('base64');
  }

  check({ authorization, cookie }) {
    const [, session] = /AuthSession=([0-9a-f]+)/.exec(cookie || '') || [];
    if (this.#basic && authorization !== this.#basic && !this.#sessions.has(session)) {
      this.#refuse();
    }
  }

  /** The cookie of a new session. */
  logIn({ name, password }) {
    if (`${name}:${password}` !== this.#userAndPassword) {
      this.#refuse();
    }
    const session = randomBytes(16).toString('hex');
    this.#sessions.add(session);
    return `AuthSession=${session}; Version=1; Path=/; HttpOnly`;
  }

  expireSessions() {
    this.#sessions.clear();
  }

  #refuse() {
    throw new Refusal(401, 'unauthorized', 'Name or password is incorrect.');
  }
}

module.exports = { Authentication };
