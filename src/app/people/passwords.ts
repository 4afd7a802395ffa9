import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { StoreUnavailable } from '../../store/store.ts';

/** 64 MiB and some 150 ms for each: two at once fit into the smallest machine. */
const COST = { ln: 16, r: 8, p: 1 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;
const AT_ONCE = 2;
/** Those that wait; the last of them does so for some seconds. */
const WAITING_MAX = 50;

let running = 0;
const waiting: (() => void)[] = [];

/** @throws StoreUnavailable where too many wait */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) {
    if (waiting.length >= WAITING_MAX) throw new StoreUnavailable('too many passwords are being checked');
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running++;
  try {
    return await work();
  } finally {
    // Whoever waits first takes the place over.
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

const derive = (password: string, salt: Uint8Array, { ln, r, p }: typeof COST): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const options = { N: 2 ** ln, r, p, maxmem: 2 ** ln * r * 256 };
    scrypt(password, salt, HASH_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)));
  });

const written = (salt: Uint8Array, hash: Uint8Array, { ln, r, p } = COST): string => {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');
  return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(hash)}`;
};

/**
 * Hashes a password, in the form that is stored: `$scrypt$ln=16,r=8,p=1$salt$hash`.
 * @param cost less only in tests
 * @throws StoreUnavailable where too many wait
 */
export async function hashPassword(password: string, cost = COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return written(salt, await inTurn(() => derive(password, salt, cost)), cost);
}

const FORM = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
/** Compared with where there is no password, so that it takes as long as a wrong one. */
const NOBODYS = written(Buffer.alloc(SALT_BYTES), Buffer.alloc(HASH_BYTES));

/**
 * Whether it is the password of a hash; null for that of nobody, which takes as long.
 * @throws StoreUnavailable where too many wait
 */
export async function isPassword(password: string, kept: string | null): Promise<boolean> {
  const [, ln, r, p, salt = '', hash = ''] = FORM.exec(kept ?? NOBODYS) ?? [];
  if (!ln) throw new Error('a password hash is none');
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  const derived = await inTurn(() => derive(password, Buffer.from(salt, 'base64'), cost));
  return timingSafeEqual(derived, Buffer.from(hash, 'base64')) && kept !== null;
}
