/**
 * Parsers for the query of an address, which may be hand-written. Invalid values are dropped. An invalid filter is kept as
 * text (`filterOf`), because dropping it would show all records; the page reports it (`wrongFilters`).
 */

type Search = Record<string, unknown>;

/** A non-empty text, or undefined. */
export const textOf = (search: Search, name: string): string | undefined => {
  const value = search[name];
  // The router parses numeric text as a number.
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' ? text : undefined;
};

/** A whole number above 0, or undefined. */
export const idOf = (search: Search, name: string): number | undefined =>
  referenceOf(search, name) || undefined;

/** The ID of a product, order or customer: a whole number from 0, or undefined. WooCommerce's guests are customer 0. */
export const referenceOf = (search: Search, name: string): number | undefined => {
  const text = textOf(search, name) ?? '';
  const value = Number(text);
  return /^\d+$/.test(text) && Number.isSafeInteger(value) ? value : undefined;
};

/** A day that exists, 'YYYY-MM-DD', or undefined. */
export const dayOf = (search: Search, name: string): string | undefined => {
  const text = textOf(search, name) ?? '';
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  return at && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text) ? text : undefined;
};

/** The value, if it is one of `values`; otherwise undefined. */
export const oneOf = <T extends string>(search: Search, name: string, values: readonly T[]): T | undefined =>
  values.find((value) => value === search[name]);

/** Parses a filter. */
type Read<T> = (search: Search, name: string) => T | undefined;

/** The parsed filter. An invalid filter stays a string, despite the type. */
export const filterOf = <T>(search: Search, name: string, read: Read<T>): T | undefined =>
  read(search, name) ?? (textOf(search, name) as T | undefined);

/** The invalid filters, as in the address: `order=abc`. */
export const wrongFilters = (search: object, reads: Record<string, Read<unknown>>): string[] =>
  Object.entries(reads).flatMap(([name, read]) => {
    const text = textOf(search as Search, name);
    return text !== undefined && read(search as Search, name) === undefined ? [`${name}=${text}`] : [];
  });
