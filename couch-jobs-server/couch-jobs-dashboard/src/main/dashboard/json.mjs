// JSON as text: nothing is parsed into numbers, so every digit stays.

const BLANK = /\s/;

function endOfString(text, from) {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') {
    at += text[at] === '\\' ? 2 : 1;
  }
  return at + 1;
}

function endOfScalar(text, from) {
  let at = from;
  while (at < text.length && !'{}[],:"'.includes(text[at]) && !BLANK.test(text[at])) {
    at++;
  }
  return at;
}

/** Calls a function with each token: its text, and where it starts and ends. */
function scan(text, visit) {
  let at = 0;
  while (at < text.length) {
    if (BLANK.test(text[at])) {
      at++;
      continue;
    }
    let end = at + 1;
    if (text[at] === '"') {
      end = endOfString(text, at);
    } else if (!'{}[],:'.includes(text[at])) {
      end = endOfScalar(text, at);
    }
    visit(text.slice(at, end), at, end);
    at = end;
  }
}

/** What an array or object holds directly, as slices of its text: [name or null, text of the value]. */
function parts(text) {
  const found = [];
  let depth = 0;
  let name = null;
  let start = -1;
  let last = '';
  let lastEnd = 0;
  scan(text, (token, from, end) => {
    const closes = token === '}' || token === ']';
    if (closes) {
      depth--;
    }
    if (depth === 1 && token === ':') {
      name = JSON.parse(last);
      start = -1;
    } else if ((depth === 1 && token === ',') || (depth === 0 && closes)) {
      if (start >= 0) {
        found.push([name, text.slice(start, lastEnd)]);
      }
      name = null;
      start = -1;
    } else if (depth >= 1 && start < 0) {
      start = from;
    }
    if (token === '{' || token === '[') {
      depth++;
    }
    last = token;
    lastEnd = end;
  });
  return found;
}

/** The text of a member of an object, or undefined. */
export function member(text, name) {
  return parts(text).find((part) => part[0] === name)?.[1];
}

/** The texts of the elements of an array. */
export function elements(text) {
  return parts(text).map((part) => part[1]);
}

function kindOf(token) {
  if (token[0] === '"') {
    return 'string';
  }
  if ('{}[],:'.includes(token)) {
    return 'mark';
  }
  return token === 'true' || token === 'false' || token === 'null' ? 'literal' : 'number';
}

/** JSON with line breaks and indents: pieces of text with their kinds, as [kind, text]. */
export function pretty(text) {
  const pieces = [];
  let depth = 0;
  let previous = '';
  const breakLine = () => pieces.push(['blank', '\n' + '  '.repeat(depth)]);
  scan(text, (token) => {
    const opened = previous === '{' || previous === '[';
    if (token === '}' || token === ']') {
      depth--;
      if (!opened) {
        breakLine();
      }
    } else if (opened || previous === ',') {
      breakLine();
    }
    if (token === ':') {
      pieces[pieces.length - 1][0] = 'key';
      pieces.push(['mark', ': ']);
    } else {
      pieces.push([kindOf(token), token]);
    }
    if (token === '{' || token === '[') {
      depth++;
    }
    previous = token;
  });
  return pieces;
}

/** The same as text. */
export function prettyText(text) {
  return pretty(text)
    .map((piece) => piece[1])
    .join('');
}
