// Numbers, times and errors as a reader wants them.

const NUMBERS = new Intl.NumberFormat('en');
const UNITS = [
  ['d', 86400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
];

export function number(value) {
  return NUMBERS.format(value);
}

/** A count for which there is little room: 12,345 or 1.2 M. */
export function shortNumber(value) {
  if (value < 100_000) {
    return number(value);
  }
  const [unit, size] = value < 1e6 ? ['k', 1e3] : value < 1e9 ? ['M', 1e6] : ['G', 1e9];
  return `${(value / size).toFixed(value / size < 10 ? 1 : 0)} ${unit}`;
}

/** A size: 950 B, 1.2 kB, 45 MB. */
/** The size of a content in Base64, and its first bytes as hexadecimal digits. */
export function content(base64, shown = 16) {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  const size = (base64.length / 4) * 3 - padding;
  const first = atob(base64.slice(0, Math.ceil(shown / 3) * 4)).slice(0, shown);
  const digits = Array.from(first, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join(' ');
  return { size, first: size > shown ? `${digits} …` : digits };
}

export function bytes(value) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
  const size = value / 1000 ** power;
  return `${power === 0 || size >= 10 ? number(Math.round(size)) : size.toFixed(1)} ${units[power]}`;
}

export function rate(perSecond) {
  if (perSecond === 0 || perSecond >= 100) {
    return number(Math.round(perSecond));
  }
  return perSecond.toFixed(perSecond < 1 ? 2 : 1);
}

/** A time span in its two largest units: 4.2 s, 3 min 5 s, 2 d 4 h. */
export function duration(millis) {
  if (millis < 1000) {
    return `${Math.max(0, Math.round(millis))} ms`;
  }
  if (millis < 9950) {
    return `${(millis / 1000).toFixed(1)} s`;
  }
  let rest = Math.round(millis / 1000);
  const shown = [];
  for (const [unit, seconds] of UNITS) {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    if (count > 0) {
      shown.push(`${count} ${unit}`);
    } else if (shown.length > 0) {
      break;
    }
    if (shown.length === 2) {
      break;
    }
  }
  return shown.join(' ');
}

/** How far a time is from now, in its largest unit. */
export function ago(time, now) {
  const millis = now - Date.parse(time);
  const seconds = Math.round(Math.abs(millis) / 1000);
  if (seconds < 2) {
    return 'now';
  }
  const [unit, size] = UNITS.find(([, length]) => seconds >= length);
  const text = `${Math.floor(seconds / size)} ${unit}`;
  return millis < 0 ? `in ${text}` : `${text} ago`;
}

/** A time on the reader's clock: 2027-01-31 08:00:00. */
export function localTime(time) {
  const date = new Date(time);
  const two = (value) => String(value).padStart(2, '0');
  return (
    `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}` +
    ` ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  );
}

/** The milliseconds of a duration such as PT1M30S. */
export function isoMillis(text) {
  const parts = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(text);
  if (!parts) {
    return NaN;
  }
  const [days, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0));
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
}

export function isoDuration(text) {
  const millis = isoMillis(text);
  return Number.isNaN(millis) ? text : duration(millis);
}

export function limitRate({ starts, period, burst }) {
  const kind = burst > 0 ? `evenly, ${number(burst)} at once` : 'in each window';
  return `${number(starts)} starts per ${isoDuration(period)}, ${kind}`;
}

/** How long a type's jobs are kept after they have ended. */
export function retention({ ended, failed, archived }) {
  const kept = (time) => (time ? isoDuration(time) : 'until removed');
  return `${kept(ended)}, failed jobs ${kept(failed)}${archived ? ', archived first' : ''}`;
}

/** An error's first line, and the rest of it. */
export function splitError(error) {
  const end = error.indexOf('\n');
  return end < 0 ? { head: error, stack: '' } : { head: error.slice(0, end).trim(), stack: error.slice(end + 1) };
}

export function plural(count, noun) {
  return `${number(count)} ${noun}${count === 1 ? '' : noun.endsWith('ch') ? 'es' : 's'}`;
}
