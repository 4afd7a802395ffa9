/** Licenses that one call changes. */
const BULK_MAX = 500;

/** Pieces of a list of licenses that one call takes. */
export function* pieces<T>(list: readonly T[]): Generator<T[]> {
  for (let at = 0; at < list.length; at += BULK_MAX) yield list.slice(at, at + BULK_MAX);
}
