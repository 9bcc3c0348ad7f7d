'use strict';

const { Refusal } = require('./refusal');

const PART = 1_000_000;

/** The request with what handlers need: {method, headers, path, query, body}. The path is a list of decoded names. */
async function readRequest(request) {
  const { method, headers, url } = request;
  const [path, query] = url.split(/\?(.*)/s);
  const text = await readText(request);
  if (text && !/^application\/json\b/.test(headers['content-type'] || '')) {
    throw new Refusal(415, 'bad_content_type', 'Content-Type must be application/json');
  }
  return {
    method,
    headers,
    path: path.split('/').filter(Boolean).map(decodeURIComponent),
    query: Object.fromEntries(new URLSearchParams(query)),
    body: text ? parsed(text) : undefined,
  };
}

function readText(request) {
  const parts = [];
  return new Promise((resolve, reject) => {
    request.on('data', (part) => parts.push(part));
    request.on('end', () => resolve(Buffer.concat(parts).toString()));
    request.on('error', reject);
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 'bad_request', 'invalid UTF-8 JSON');
  }
}

/** A value of a query, in JSON. */
const valueOf = (text) => (text === undefined ? undefined : parsed(text));

/** Answers with JSON: a text, or a value. */
function reply(response, status, answer, headers) {
  const bytes = Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer));
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': bytes.length, ...headers });
  response.end(bytes);
}

/** Answers with the texts of a list. A large answer is sent in parts while the client reads on, as CouchDB does. */
async function replyInParts(response, texts) {
  let part = '';
  for (const text of texts) {
    part += text;
    if (part.length > PART) {
      if (!response.headersSent) {
        response.writeHead(200, { 'Content-Type': 'application/json' });
      }
      if (!response.write(part)) {
        await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
      }
      if (response.destroyed) {
        return;
      }
      part = '';
    }
  }
  if (response.headersSent) {
    response.end(part);
  } else {
    reply(response, 200, part);
  }
}

module.exports = { readRequest, reply, replyInParts, valueOf };
