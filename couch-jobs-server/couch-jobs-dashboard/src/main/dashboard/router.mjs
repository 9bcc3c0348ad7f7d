// What the page shows is in its URL: ui/PAGE?NAME=VALUE. Ids are in the query, where no character has a meaning.

const LISTENERS = new Set();

/** The page and parameters of a URL below a root. */
export function parse(root, url) {
  const { pathname, searchParams } = new URL(url);
  const path = pathname.slice(new URL(root).pathname.length).replace(/^ui\/?/, '');
  return { page: path === '' ? 'overview' : path, params: Object.fromEntries(searchParams) };
}

/** A relative URL. Parameters that are empty are left out. */
export function href(page, params = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== null && value !== '') {
      query.set(name, value);
    }
  }
  const text = query.toString();
  return (page === 'overview' ? './' : `ui/${page}`) + (text === '' ? '' : `?${text}`);
}

let root = null;

/** Follows links within the dashboard without loading it again. */
export function start() {
  root = document.baseURI;
  document.querySelector('base').href = root;
  window.addEventListener('popstate', changed);
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href]');
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    // A link in a picture has an object as href.
    const url = link && new URL(link.getAttribute('href'), root).href;
    if (link && isPlain && !link.hasAttribute('target') && !link.hasAttribute('download') && isOwn(url)) {
      event.preventDefault();
      go(url);
    }
  });
}

function isOwn(url) {
  const path = url.slice(root.length);
  return url.startsWith(root) && !url.includes('#') && (path === '' || path.startsWith('?') || path.startsWith('ui/'));
}

function changed() {
  LISTENERS.forEach((listener) => listener(current()));
}

export function current() {
  return parse(root, location.href);
}

export function onChange(listener) {
  LISTENERS.add(listener);
  return () => LISTENERS.delete(listener);
}

/** Goes to a URL; with replace, the browser's Back does not return to the one before. */
export function go(url, { replace = false } = {}) {
  history[replace ? 'replaceState' : 'pushState'](null, '', new URL(url, root));
  changed();
}
