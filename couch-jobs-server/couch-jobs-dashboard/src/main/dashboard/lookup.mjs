// Tables that are read by names from outside.

/** What was put into a table under a name; not what every object has, such as its constructor. */
export function own(table, name) {
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}
