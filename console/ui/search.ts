/**
 * Reading what an address has after its '?', which anybody may have written: what is wrong is left out, or, where leaving
 * out a filter would show everything, kept as it is (`filterOf`) for the page to say so (`wrongFilters`).
 */

type Search = Record<string, unknown>;

/** A text, or undefined. */
export const textOf = (search: Search, name: string): string | undefined => {
  const value = search[name];
  // The router reads what looks like a number as one.
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' ? text : undefined;
};

/** A whole number above 0, or undefined. */
export const idOf = (search: Search, name: string): number | undefined => {
  const value = Number(search[name]);
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
};

/** One of these, or undefined. */
export const oneOf = <T extends string>(search: Search, name: string, values: readonly T[]): T | undefined =>
  values.find((value) => value === search[name]);

/** What a filter is read by. */
type Read<T> = (search: Search, name: string) => T | undefined;

/** A filter as it is understood, or, though its type says otherwise, its text as it stands there. */
export const filterOf = <T>(search: Search, name: string, read: Read<T>): T | undefined =>
  read(search, name) ?? (textOf(search, name) as T | undefined);

/** The filters that are not understood, as the address has them: `order=abc`. */
export const wrongFilters = (search: object, reads: Record<string, Read<unknown>>): string[] =>
  Object.entries(reads).flatMap(([name, read]) => {
    const text = textOf(search as Search, name);
    return text !== undefined && read(search as Search, name) === undefined ? [`${name}=${text}`] : [];
  });
