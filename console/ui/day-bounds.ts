const FIRST = '0001-01-01T00:00:00.000Z';

/**
 * Returns the start of a day in the user's time zone, within the years 1 to 9999, which the API accepts; undefined if it is
 * later.
 * @param day 'YYYY-MM-DD'
 * @param later days to add
 * @param before milliseconds to subtract
 */
export function midnight(day: string | undefined, later = 0, before = 0): string | undefined {
  if (day === undefined) return undefined;
  const start = new Date(`${day}T00:00`);
  start.setDate(start.getDate() + later);
  const at = new Date(start.getTime() - before);
  if (at.getUTCFullYear() > 9999) return undefined;
  const text = at.toISOString();
  return text < FIRST ? FIRST : text;
}

/** Returns the last second of a day, with the limits of `midnight`. */
export const lastSecond = (day: string | undefined): string | undefined => midnight(day, 1, 1000);
