/** Addresses that are tried. */
const TRIES = 5;

/**
 * Tries a limit that several processes share from one address after the other, until it is exact. Where the shared count
 * takes over half a second, as on a machine that has much else to do, a process counts alone, and more is allowed.
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
  throw new Error(`more was allowed than the limit, from each of ${TRIES} addresses`);
}
