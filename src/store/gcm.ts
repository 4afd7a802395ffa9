import { createCipheriv } from 'node:crypto';

const BLOCK = 16;

export interface Sealed {
  /** 12 bytes. */
  nonce: Uint8Array;
  ciphertext: Uint8Array;
  /** 16 bytes. */
  tag: Uint8Array;
}

/**
 * Decrypts and authenticates AES-256-GCM (NIST SP 800-38D) under one key and one additional data: each text, or null
 * where anything of it was changed.
 */
export type GcmOpen = (sealed: readonly Sealed[]) => (Buffer | null)[];

/**
 * The same as `createDecipheriv('aes-256-gcm', …)`, which makes three native objects for each text: a third of what a
 * validation cost. Here the AES object is made once, works for all texts in one go, and GHASH, which needs no secrecy of
 * timing between a database and its own service, is done in place (measured for a key of 23 characters within the
 * service: 28 µs against 3).
 */
export function createGcmOpen(key: Uint8Array, additional: Uint8Array): GcmOpen {
  // One block at a time is what GCM is made of; it is never used to encrypt text.
  const aes = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  const multiply = multiplierOf(aes.update(Buffer.alloc(BLOCK)));
  const afterAdditional = new Uint32Array(4);
  absorb(afterAdditional, additional, multiply);
  const state = new Uint32Array(4);

  /** Whether what GHASH makes of a text, masked, is its tag. */
  const isWhole = ({ ciphertext, tag }: Sealed, mask: Buffer, at: number): boolean => {
    state.set(afterAdditional);
    absorb(state, ciphertext, multiply);
    state[1] = (state[1] as number) ^ (additional.length * 8);
    state[3] = (state[3] as number) ^ (ciphertext.length * 8);
    multiply(state);
    let difference = tag.length ^ BLOCK;
    for (let i = 0; i < BLOCK; i++) {
      const hashed = (state[i >> 2] as number) >>> (24 - 8 * (i & 3));
      difference |= ((hashed ^ (mask[at + i] as number)) & 0xff) ^ (tag[i] as number);
    }
    return difference === 0;
  };

  return (sealed) => {
    const masks = aes.update(countersOf(sealed));
    let at = 0;
    return sealed.map((one) => {
      const { ciphertext } = one;
      const mine = at;
      at += blocksOf(one) * BLOCK;
      if (!isWhole(one, masks, mine)) return null;
      const text = Buffer.allocUnsafe(ciphertext.length);
      for (let i = 0; i < text.length; i++) {
        text[i] = (ciphertext[i] as number) ^ (masks[mine + BLOCK + i] as number);
      }
      return text;
    });
  };
}

/** One for the tag, then those of the text. */
const blocksOf = ({ ciphertext }: Sealed): number => 1 + Math.ceil(ciphertext.length / BLOCK);

/** The blocks whose encryption masks the tags and texts. */
function countersOf(sealed: readonly Sealed[]): Buffer {
  const counters = Buffer.allocUnsafe(sealed.reduce((sum, one) => sum + blocksOf(one), 0) * BLOCK);
  let at = 0;
  for (const one of sealed) {
    for (let counter = 1; counter <= blocksOf(one); counter++) {
      for (let i = 0; i < 12; i++) counters[at + i] = one.nonce[i] as number;
      counters.writeUInt32BE(counter, at + 12);
      at += BLOCK;
    }
  }
  return counters;
}

type Multiply = (state: Uint32Array) => void;

/** Takes bytes, filled up with zeros to whole blocks, into a GHASH. */
function absorb(state: Uint32Array, bytes: Uint8Array, multiply: Multiply): void {
  for (let at = 0; at < bytes.length; at += BLOCK) {
    const end = Math.min(BLOCK, bytes.length - at);
    for (let i = 0; i < end; i++) {
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
