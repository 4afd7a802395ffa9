import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { StoreUnavailable } from '../../store/store.ts';

/** Each hash takes 64 MiB and about 150 ms. Two at once fit into the memory of the smallest machine. */
const COST = { ln: 16, r: 8, p: 1 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;
const AT_ONCE = 2;
/** Maximum number of passwords being hashed or waiting. The last one waits some seconds. */
const ACCEPTED_MAX = AT_ONCE + 50;

let accepted = 0;
let running = 0;
const waiting: (() => void)[] = [];

/** Limits how many passwords are hashed or wait. @throws StoreUnavailable if there are ACCEPTED_MAX already */
async function accept<T>(work: () => Promise<T>): Promise<T> {
  if (accepted >= ACCEPTED_MAX) throw new StoreUnavailable('too many passwords are being checked');
  accepted++;
  try {
    return await work();
  } finally {
    accepted--;
  }
}

/** Runs at most AT_ONCE hashes concurrently; the others wait. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await work();
  } finally {
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

const encoded = (salt: Uint8Array, hash: Uint8Array, { ln, r, p } = COST): string => {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');
  return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(hash)}`;
};

/**
 * Hashes a password, as `$scrypt$ln=16,r=8,p=1$salt$hash`.
 * @param cost lower only in tests
 * @throws StoreUnavailable if too many passwords wait
 */
export async function hashPassword(password: string, cost = COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return encoded(salt, await accept(() => inTurn(() => derive(password, salt, cost))), cost);
}

const FORM = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
/** Stands in for the hash of a user without a password, so that the comparison takes as long as for a wrong password. */
const NO_PASSWORD = encoded(Buffer.alloc(SALT_BYTES), Buffer.alloc(HASH_BYTES));

/**
 * Returns what `find` found if the password matches its hash, else null. Takes the same time for an account without a hash.
 * @param find counts the attempt and reads the account. It does not run if too many passwords wait, so attempts are
 *   counted no faster than passwords are hashed. This bounds how many counts of made-up accounts the database gets.
 * @throws StoreUnavailable if too many passwords wait
 */
export const checkPassword = <T extends { passwordHash: string | null }>(
  password: string,
  find: () => Promise<T>,
): Promise<(T & { passwordHash: string }) | null> =>
  accept(async () => {
    const found = await find();
    const { passwordHash } = found;
    const isRight = await matches(password, passwordHash ?? NO_PASSWORD);
    return isRight && passwordHash !== null ? { ...found, passwordHash } : null;
  });

/** Whether a password matches a hash. Refuses a hash with a higher cost than COST: it could take gigabytes of memory. */
async function matches(password: string, stored: string): Promise<boolean> {
  const [, ln, r, p, salt = '', hash = ''] = FORM.exec(stored) ?? [];
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  const wanted = Buffer.from(hash, 'base64');
  const isOurs = cost.ln <= COST.ln && cost.r <= COST.r && cost.p <= COST.p && wanted.length === HASH_BYTES;
  if (!isOurs) throw new Error('a stored password hash is invalid');
  const derived = await inTurn(() => derive(password, Buffer.from(salt, 'base64'), cost));
  return timingSafeEqual(derived, wanted);
}
