/** The server's limit of licenses per call. */
const BULK_MAX = 500;

/** Splits a list into chunks for one call each. */
export function* pieces<T>(list: readonly T[]): Generator<T[]> {
  for (let at = 0; at < list.length; at += BULK_MAX) yield list.slice(at, at + BULK_MAX);
}
