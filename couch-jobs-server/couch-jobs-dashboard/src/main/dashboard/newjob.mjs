// A job that the reader writes.

/** The fields of the dialog. */
export function fieldsOf(type) {
  return [
    { name: 'type', label: 'Type', value: type, required: true },
    { name: 'data', label: 'Data, as JSON', value: '{}', rows: 6, required: true },
    { name: 'id', label: 'Id', hint: 'Empty: the server makes one. A pending job of this id is replaced.' },
    { name: 'priority', label: 'Priority', type: 'number', step: 1, hint: 'Empty: 0. Higher ones run first.' },
    { name: 'at', label: 'Due', type: 'datetime-local', step: 1, hint: 'Empty: at once. In your time zone.' },
  ];
}

/** What the API takes, as text: the numbers of the data keep their digits. */
export function bodyOf({ data, id, priority, at }) {
  try {
    JSON.parse(data);
  } catch (error) {
    throw Object.assign(new Error(error.message), { title: 'The data is not JSON.', detail: error.message });
  }
  const rest = JSON.stringify({
    ...(id && { id }),
    ...(priority && { priority: Number(priority) }),
    ...(at && { at: new Date(at).toISOString() }),
  });
  return `{"data":${data}${rest === '{}' ? '}' : `,${rest.slice(1)}`}`;
}
