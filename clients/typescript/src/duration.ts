const DURATION = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/** Reads a duration as the server writes it (ISO 8601), in milliseconds. */
export function toMillis(text: string): number {
  const match = DURATION.exec(text);
  if (!match) {
    throw new RangeError(`${text} is no duration.`);
  }
  const [days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0));
  return (((days! * 24 + hours!) * 60 + minutes!) * 60 + seconds!) * 1000;
}

export function fromMillis(millis: number): string {
  return `PT${(millis / 1000).toFixed(3)}S`;
}
