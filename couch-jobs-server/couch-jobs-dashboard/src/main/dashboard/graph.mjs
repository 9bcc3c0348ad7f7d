// Where the boxes and lines of a job's graph are: on the left what it waits for, on the right what waits for it.

const BOX = { width: 190, height: 54 };
const GAP = { x: 70, y: 12 };
const SHOWN = 8;
const LETTERS = 24;

/** A text that fits into a box. */
export function cut(text, letters = LETTERS) {
  const all = [...text];
  return all.length <= letters ? text : `${all.slice(0, letters - 1).join('')}…`;
}

/** How a job is, in one word: its outcome, or what it does or waits for. */
export function statusOf({ state, outcome, blocked }) {
  return outcome ?? (state === 'pending' && blocked ? 'blocked' : state);
}

/** The boxes of a page of jobs. */
export function jobBoxes({ items, next }, hrefOf) {
  return first(
    items.map((job) => ({
      key: `${job.type} ${job.id}`, head: job.type, text: job.id, status: statusOf(job), href: hrefOf(job),
    })),
    next !== undefined,
  );
}

/** The first of some boxes; if there are more, the last one says so. */
export function first(boxes, hasMore) {
  if (boxes.length <= SHOWN && !hasMore) {
    return boxes;
  }
  const more = hasMore ? 'more' : `${boxes.length - SHOWN + 1} more`;
  return [...boxes.slice(0, SHOWN - 1), { key: 'more', head: '…', text: more }];
}

/**
 * A box is { key, head, text, status, href }. Returns { width, height, boxes, lines }: boxes with their places, and lines from
 * the left to the right of two of them. A column without boxes takes no room.
 */
export function layout(left, middle, right) {
  const columns = [left, [middle], right];
  const tallest = Math.max(...columns.map((column) => column.length));
  const height = tallest * (BOX.height + GAP.y) - GAP.y;
  let x = 0;
  const placed = columns.map((column) => {
    const top = (height - (column.length * (BOX.height + GAP.y) - GAP.y)) / 2;
    const boxes = column.map((box, row) => ({ ...box, ...BOX, x, y: top + row * (BOX.height + GAP.y) }));
    x += column.length === 0 ? 0 : BOX.width + GAP.x;
    return boxes;
  });
  const [from, [own], to] = placed;
  const line = (a, b) => ({
    x1: a.x + a.width, y1: a.y + a.height / 2, x2: b.x, y2: b.y + b.height / 2,
  });
  return {
    width: x - GAP.x,
    height,
    boxes: [...from, { ...own, isOwn: true }, ...to],
    lines: [...from.map((box) => line(box, own)), ...to.map((box) => line(own, box))],
  };
}

/** A line that leaves and arrives level, with an arrow at its end. */
export function curve({ x1, y1, x2, y2 }) {
  const middle = (x1 + x2) / 2;
  const arrow = `M${x2 - 6} ${y2 - 4}L${x2} ${y2}L${x2 - 6} ${y2 + 4}`;
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}${arrow}`;
}
