'use strict';

// As in CouchDB, a sequence is a text that only the server can interpret.

const mark = (number) => 'g' + Buffer.from('seq' + number).toString('base64url');

const opaque = (number) => `${number}-${mark(number)}`;

/** The number behind a sequence; undefined if the text is none. */
function parse(text) {
  const plain = String(text).replace(/^"|"$/g, '');
  if (plain === '0' || plain === '') {
    return 0;
  }
  const [number, rest] = plain.split('-', 2);
  return /^\d+$/.test(number) && rest === mark(Number(number)) ? Number(number) : undefined;
}

module.exports = { opaque, parse };
