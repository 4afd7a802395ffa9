import { randomBytes } from 'node:crypto';

const POOL_BYTES = 64 * 1024;
const RANGE = 2 ** 32;

/** A source of uniform secure random integers from 0 up to, not including, `below` (at most 2^32). */
export function createRandomIntegers(): (below: number) => number {
  let pool = Buffer.alloc(0);
  let at = 0;
  return (below) => {
    // The last, incomplete run of `below` numbers would make the first ones likelier: draw again there.
    const fair = RANGE - (RANGE % below);
    for (;;) {
      if (at + 4 > pool.length) {
        pool = randomBytes(POOL_BYTES);
        at = 0;
      }
      const drawn = pool.readUInt32LE(at);
      at += 4;
      if (drawn < fair) return drawn % below;
    }
  };
}
