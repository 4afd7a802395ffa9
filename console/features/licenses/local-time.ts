import { instantOf } from '../../ui/format.ts';

const two = (number: number): string => String(number).padStart(2, '0');

/** A time of the server as a field of the browser has it, in the reader's zone, to the minute; '' for none. */
export function localOf(utc: string | null): string {
  if (utc === null) return '';
  const at = instantOf(utc);
  const day = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** The other way round; null for none, or where it is no time. */
export function utcOf(local: string): string | null {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
