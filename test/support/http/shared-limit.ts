/** Addresses that are tried. */
const TRIES = 5;

/**
 * Tries a limit that several processes share from one address after the other, until it is exact. Where the shared count
 * takes over half a second, as on a machine that has much else to do, a process counts alone, and more is allowed.
 * @param attempt returns null if too many requests were allowed
 */
export async function exactOf<T>(attempt: (from: string) => Promise<T | null>): Promise<T> {
  for (let i = 1; i <= TRIES; i++) {
    const result = await attempt(`192.0.2.${i}`);
    if (result !== null) return result;
  }
  throw new Error(`more was allowed than the limit, from each of ${TRIES} addresses`);
}
