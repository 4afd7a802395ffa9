/** Reading what an address has after its '?', which anybody may have written: what is wrong is left out. */

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
