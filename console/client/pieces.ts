/** The server's limit of licenses per call. */
const BULK_MAX = 500;

/** Splits a list into chunks for one call each. */
export function* pieces<T>(list: readonly T[]): Generator<T[]> {
  for (let at = 0; at < list.length; at += BULK_MAX) yield list.slice(at, at + BULK_MAX);
}

/**
 * Returns a function that sends a list in chunks, and resolves to the answers. If a call fails, the next run of the function
 * continues with the chunks that are left.
 */
export function inCalls<T, Result>(
  list: readonly T[],
  send: (some: T[]) => Promise<Result>,
): () => Promise<Result[]> {
  const left = [...pieces(list)];
  const answers: Result[] = [];
  return async () => {
    for (let some = left[0]; some; some = left[0]) {
      answers.push(await send(some));
      left.shift();
    }
    return answers;
  };
}
