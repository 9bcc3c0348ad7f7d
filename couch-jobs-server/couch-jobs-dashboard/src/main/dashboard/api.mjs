// The client of the server's API.

const TOKEN = 'couch-jobs-token';
const AUTHENTICATE = new Set();

/** A problem of RFC 9457, or a server that cannot be reached. */
export class ApiError extends Error {
  constructor(status, problem) {
    super(problem.title);
    this.status = status;
    this.code = (problem.type ?? '').split(':').pop();
    this.title = problem.title;
    this.detail = problem.detail ?? '';
    this.errors = problem.errors ?? [];
  }
}

/** A path with its parts encoded: path`v1/types/${type}`. */
export function path(texts, ...parts) {
  return texts.reduce((whole, text, index) => whole + segment(parts[index - 1]) + text);
}

function segment(part) {
  if (part === '.' || part === '..') {
    throw new ApiError(0, {
      title: `A browser cannot send “${part}” as a part of a path.`,
      detail: 'Use another client for this one, such as curl with --path-as-is.',
    });
  }
  return encodeURIComponent(part);
}

/** Listeners hear that the server wants to know who calls. */
export function onUnauthenticated(listener) {
  AUTHENTICATE.add(listener);
  return () => AUTHENTICATE.delete(listener);
}

/** Kept while the browser's tab is open. */
export function setToken(token) {
  sessionStorage.setItem(TOKEN, token);
}

function withQuery(url, query) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return given.length === 0 ? url : `${url}?${new URLSearchParams(given)}`;
}

async function request(method, url, { query = {}, text: json, signal } = {}) {
  const headers = {};
  const token = sessionStorage.getItem(TOKEN);
  if (token) {
    headers.Authorization = `Bearer ${token}`;
  }
  if (json !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  let response;
  try {
    response = await fetch(new URL(withQuery(url, query), document.baseURI), {
      method,
      headers,
      signal,
      body: json,
      cache: 'no-cache',
    });
  } catch (error) {
    if (error.name === 'AbortError') {
      throw error;
    }
    throw new ApiError(0, { title: 'The server cannot be reached.', detail: 'The page tries again.' });
  }
  const text = await response.text();
  if (!response.ok) {
    const error = new ApiError(response.status, problemOf(response, text));
    if (error.status === 401) {
      AUTHENTICATE.forEach((listener) => listener(error));
    }
    throw error;
  }
  return text;
}

function problemOf(response, text) {
  try {
    const problem = JSON.parse(text);
    if (typeof problem.title === 'string') {
      return problem;
    }
  } catch {
    // Not from the API: a proxy, maybe.
  }
  return { title: `The server replies ${response.status} ${response.statusText}`.trim() + '.' };
}

/** The reply as text, for payloads whose numbers keep their digits. */
export function getText(url, options) {
  return request('GET', url, options);
}

export async function get(url, options) {
  return JSON.parse(await request('GET', url, options));
}

/** What is not there is null. */
export async function find(url, options) {
  try {
    return await get(url, options);
  } catch (error) {
    if (error.status === 404) {
      return null;
    }
    throw error;
  }
}

export function send(method, url, body) {
  return sendText(method, url, body === undefined ? undefined : JSON.stringify(body));
}

/** Sends JSON as it is written: a number may have more digits than a number of the browser. */
export async function sendText(method, url, json) {
  const text = await request(method, url, { text: json });
  return text === '' ? null : JSON.parse(text);
}

/** Results of all inputs in their order, at most so many requests at once. */
export async function forEach(inputs, run, atOnce = 6) {
  const results = new Array(inputs.length);
  let next = 0;
  const lane = async () => {
    while (next < inputs.length) {
      const index = next++;
      results[index] = await run(inputs[index]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, inputs.length) }, lane));
  return results;
}
