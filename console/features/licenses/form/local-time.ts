import { instantOf } from '../../../ui/format.ts';

const two = (number: number): string => String(number).padStart(2, '0');

/** Converts a server time to the value of a datetime-local field, in the user's time zone; '' for none. */
export function localOf(utc: string | null): string {
  if (utc === null) return '';
  const at = instantOf(utc);
  const day = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** Converts the value of a datetime-local field to a server time; null if it is empty or invalid. */
export function utcOf(local: string): string | null {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? null : at.toISOString().slice(0, 19).replace('T', ' ');
}
