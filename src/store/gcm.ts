import { createCipheriv } from 'node:crypto';

const BLOCK = 16;
const NONCE = 12;
/** Blocks encrypted in one go; a longer text takes several. */
const BLOCKS_AT_ONCE = 64;

/** AES-256-GCM (NIST SP 800-38D) under one key and one additional data, with 12-byte nonces and 16-byte tags. */
export interface Gcm {
  /** Decrypts and authenticates: the text, or null where anything was changed. */
  open(nonce: Uint8Array, ciphertext: Uint8Array, tag: Uint8Array): Buffer | null;
  /** Encrypts in place. Each piece is a nonce, which must never come again, the text, and room for the tag. */
  seal(pieces: readonly Uint8Array[]): void;
}

/**
 * The same as `createDecipheriv('aes-256-gcm', …)`, which makes three native objects for each text: a third of what a
 * validation cost. Here the AES object is made once, and GHASH, which needs no secrecy of timing between a database and
 * its own service, is done in place (measured for a key of 23 characters within the service: 28 µs against 3).
 * Sealing encrypts the blocks of all pieces in one go (measured for a key of 23 characters: 4 µs by `createCipheriv`, 1 µs with 2,000 of them).
 */
export function createGcm(key: Uint8Array, additional: Uint8Array): Gcm {
  // One block at a time is what GCM is made of; it is never used to encrypt text.
  const aes = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  const multiply = multiplierOf(aes.update(Buffer.alloc(BLOCK)));
  const counters = Buffer.alloc(BLOCKS_AT_ONCE * BLOCK);
  const state = new Uint32Array(4);
  const afterAdditional = new Uint32Array(4);
  absorb(afterAdditional, additional, 0, additional.length, multiply);

  /** The key stream of some blocks from a counter on. */
  const stream = (nonce: Uint8Array, from: number, blocks: number): Buffer => {
    count(counters, 0, nonce, from, blocks);
    return aes.update(counters.subarray(0, blocks * BLOCK));
  };

  /** Leaves in the state what the tag is before it is masked. @param start where the ciphertext begins in the bytes */
  const authenticate = (bytes: Uint8Array, start: number, length: number) => {
    state.set(afterAdditional);
    absorb(state, bytes, start, start + length, multiply);
    state[1] = (state[1] as number) ^ (additional.length * 8);
    state[3] = (state[3] as number) ^ (length * 8);
    multiply(state);
  };
  const hashedByte = (i: number) => ((state[i >> 2] as number) >>> (24 - 8 * (i & 3))) & 0xff;

  return {
    open(nonce, ciphertext, tag) {
      const { length } = ciphertext;
      const text = Buffer.allocUnsafe(length);
      const blocks = blocksOf(length);
      // The first block is for the tag, the text begins with the second.
      let mask: Buffer | undefined;
      for (let done = 0; done < blocks; done += BLOCKS_AT_ONCE) {
        const some = stream(nonce, 1 + done, Math.min(BLOCKS_AT_ONCE, blocks - done));
        mask ??= some;
        const start = (done - 1) * BLOCK;
        for (let i = done === 0 ? BLOCK : 0; i < some.length && start + i < length; i++) {
          text[start + i] = (ciphertext[start + i] as number) ^ (some[i] as number);
        }
      }
      authenticate(ciphertext, 0, length);
      let difference = tag.length ^ BLOCK;
      for (let i = 0; i < BLOCK; i++) {
        difference |= hashedByte(i) ^ (mask?.[i] as number) ^ (tag[i] as number);
      }
      return difference === 0 ? text : null;
    },

    seal(pieces) {
      const lengthOf = (piece: Uint8Array) => piece.length - NONCE - BLOCK;
      const all = Buffer.allocUnsafe(
        BLOCK * pieces.reduce((sum, piece) => sum + blocksOf(lengthOf(piece)), 0),
      );
      let at = 0;
      for (const piece of pieces) at = count(all, at, piece, 1, blocksOf(lengthOf(piece)));
      const masks = aes.update(all);
      at = 0;
      for (const piece of pieces) {
        const length = lengthOf(piece);
        const end = NONCE + length;
        for (let i = 0; i < length; i++) {
          piece[NONCE + i] = (piece[NONCE + i] as number) ^ (masks[at + BLOCK + i] as number);
        }
        authenticate(piece, NONCE, length);
        for (let i = 0; i < BLOCK; i++) piece[end + i] = hashedByte(i) ^ (masks[at + i] as number);
        at += blocksOf(length) * BLOCK;
      }
    },
  };
}

/** Blocks that mask a text and its tag. */
const blocksOf = (length: number): number => 1 + Math.ceil(length / BLOCK);

/** Writes counter blocks of a nonce, which begins the bytes given: where they end. */
function count(counters: Buffer, at: number, nonce: Uint8Array, from: number, blocks: number): number {
  for (let n = 0; n < blocks; n++, at += BLOCK) {
    for (let i = 0; i < NONCE; i++) counters[at + i] = nonce[i] as number;
    counters.writeUInt32BE(from + n, at + NONCE);
  }
  return at;
}

type Multiply = (state: Uint32Array) => void;

/** Takes some of the bytes, filled up with zeros to whole blocks, into a GHASH. */
function absorb(state: Uint32Array, bytes: Uint8Array, start: number, end: number, multiply: Multiply): void {
  for (let at = start; at < end; at += BLOCK) {
    const some = Math.min(BLOCK, end - at);
    for (let i = 0; i < some; i++) {
      state[i >> 2] = (state[i >> 2] as number) ^ ((bytes[at + i] as number) << (24 - 8 * (i & 3)));
    }
    multiply(state);
  }
}

/** What is to be taken off the other end for the four bits shifted out: multiples of GCM's polynomial. */
const REDUCTION = Uint32Array.from({ length: 16 }, (_, bits) =>
  [3, 2, 1, 0].reduce((sum, k) => (bits & (1 << k) ? sum ^ (0xe1000000 >>> (3 - k)) : sum), 0),
);

/** Multiplies by one element of GF(2^128), four bits at a time (Shoup's method). @param element 16 bytes */
function multiplierOf(element: Buffer): Multiply {
  // The multiples of the element by every polynomial of four bits: 16 rows of four words.
  const table = new Uint32Array(64);
  for (let word = 0; word < 4; word++) table[8 * 4 + word] = element.readUInt32BE(word * 4);
  for (let row = 4; row > 0; row >>= 1) {
    for (let word = 3; word >= 0; word--) {
      const carry = word === 0 ? 0 : (table[row * 8 + word - 1] as number) << 31;
      table[row * 4 + word] = ((table[row * 8 + word] as number) >>> 1) | carry;
    }
    if ((table[row * 8 + 3] as number) & 1) table[row * 4] = (table[row * 4] as number) ^ 0xe1000000;
  }
  for (let row = 2; row < 16; row <<= 1) {
    for (let low = 1; low < row; low++) {
      for (let word = 0; word < 4; word++) {
        table[(row + low) * 4 + word] = (table[row * 4 + word] as number) ^ (table[low * 4 + word] as number);
      }
    }
  }

  return (state) => {
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let word = 3; word >= 0; word--) {
      const bits = state[word] as number;
      for (let shift = 0; shift < 32; shift += 4) {
        const out = d & 15;
        const row = ((bits >>> shift) & 15) * 4;
        d = ((d >>> 4) | (c << 28)) ^ (table[row + 3] as number);
        c = ((c >>> 4) | (b << 28)) ^ (table[row + 2] as number);
        b = ((b >>> 4) | (a << 28)) ^ (table[row + 1] as number);
        a = (a >>> 4) ^ (REDUCTION[out] as number) ^ (table[row] as number);
      }
    }
    state[0] = a;
    state[1] = b;
    state[2] = c;
    state[3] = d;
  };
}
