/** A point in time as `YYYY-MM-DD HH:MM:SS`, UTC. Years 0001 to 9999, so that text order is time order. */
export type Datetime = string;

/** When, and by which user, a record was created and last changed. */
export interface Stamps {
  createdAt: Datetime;
  createdBy: number;
  /** Null until the first change. */
  updatedAt: Datetime | null;
  updatedBy: number | null;
}

/** Returns the current time in milliseconds since the epoch. */
export type Clock = () => number;

const FORM = /^(\d{4})-(\d{2})-(\d{2})(?:[ Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})?)?$/;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Caches the last result: each request formats the current second several times. */
let last = { second: Number.NaN, text: '' };

/** Converts milliseconds since the epoch to a Datetime, rounded down to seconds. @throws outside the years 1 to 9999 */
export function toDatetime(ms: number): Datetime {
  const second = Math.floor(ms / 1_000);
  if (second !== last.second) last = { second, text: format(ms) };
  return last.text;
}

function format(ms: number): Datetime {
  const iso = new Date(ms).toISOString();
  if (iso.length !== 24 || iso.startsWith('0000')) throw new RangeError('year outside 0001 to 9999');
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}`;
}

/** Converts a Datetime to RFC 3339, as `2026-11-06T21:20:00Z`. */
export const rfc3339 = (at: Datetime): string => `${at.replace(' ', 'T')}Z`;

/** Converts a Datetime to milliseconds since the epoch. */
export const toMilliseconds = (at: Datetime): number => Date.parse(rfc3339(at));

/** Converts a Datetime to seconds since the epoch. */
export const toSeconds = (at: Datetime): number => toMilliseconds(at) / 1_000;

/**
 * Reads `YYYY-MM-DD HH:MM:SS`, `YYYY-MM-DD` (midnight) and RFC 3339 (converted to UTC), which may have a space for its "T".
 * Returns null for anything else, including dates that do not exist and dates outside the years 1 to 9999.
 */
export function parseDatetime(text: string): Datetime | null {
  const match = FORM.exec(text);
  if (!match) return null;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction, zone] = match;
  if (zone === undefined && (/[Tt]/.test(text) || fraction !== undefined)) return null;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const ms = Date.parse(`${local}Z`);
  // Date.parse reads 31 February as 3 March, and 24:00 as the next day.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 19) !== local) return null;
  const offset = offsetMilliseconds(zone);
  if (offset === null) return null;
  try {
    return toDatetime(ms - offset);
  } catch {
    return null;
  }
}

function offsetMilliseconds(zone: string | undefined): number | null {
  if (zone === undefined || zone.length === 1) return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))];
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** Returns the last `count` days up to today as YYYY-MM-DD, oldest first. @param now milliseconds since the epoch */
export const lastDays = (now: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => toDatetime(now - (count - 1 - i) * DAY_MS).slice(0, 10));

/** Returns `at` plus whole days; null past the year 9999. */
export const addDays = (at: Datetime, days: number): Datetime | null =>
  addSeconds(at, (days * DAY_MS) / 1_000);

/** Returns `at` plus whole seconds; null past the year 9999. */
export function addSeconds(at: Datetime, seconds: number): Datetime | null {
  const ms = toMilliseconds(at) + seconds * 1_000;
  return ms > Date.UTC(9999, 11, 31, 23, 59, 59) ? null : toDatetime(ms);
}
