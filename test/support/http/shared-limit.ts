/** Number of addresses to try. */
const TRIES = 20;

/**
 * Tries a limit that several processes share, from one address after the other, until it is exact. If the shared count
 * takes over half a second, as on a busy machine, each process counts alone and allows more.
 * @param attempt returns null if too many requests were allowed
 * @param network the first three numbers of the addresses
 */
export async function exactOf<T>(
  attempt: (from: string) => Promise<T | null>,
  network = '192.0.2',
): Promise<T> {
  for (let i = 1; i <= TRIES; i++) {
    const result = await attempt(`${network}.${i}`);
    if (result !== null) return result;
  }
  throw new Error(`each of ${TRIES} addresses was allowed more requests than the limit`);
}
