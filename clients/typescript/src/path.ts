/**
 * Returns a name as a segment of a path.
 *
 * @throws RangeError if no path reaches it: `fetch` takes `.` and `..`, however they are written, for steps in the path
 */
export function segment(name: string): string {
  if (name === '' || name === '.' || name === '..') {
    throw new RangeError(`Nothing is called ${JSON.stringify(name)}: a name has a character, and is not . or ..`);
  }
  return encodeURIComponent(name);
}
