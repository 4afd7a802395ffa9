const FIRST = '0001-01-01T00:00:00.000Z';

/**
 * Returns the start of a day in the user's time zone, within the years 1 to 9999, which the API accepts; undefined if it is
 * later.
 * @param day 'YYYY-MM-DD'
 * @param later days to add
 */
export function midnight(day: string | undefined, later = 0): string | undefined {
  if (day === undefined) return undefined;
  const at = new Date(`${day}T00:00`);
  at.setDate(at.getDate() + later);
  if (at.getUTCFullYear() > 9999) return undefined;
  const text = at.toISOString();
  return text < FIRST ? FIRST : text;
}

/** Returns the last second of a day, with the limits of `midnight`. */
export function lastSecond(day: string | undefined): string | undefined {
  const end = midnight(day, 1);
  return end && new Date(Date.parse(end) - 1_000).toISOString();
}
