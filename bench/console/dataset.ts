import { hash } from 'node:crypto';
import { firstBundle } from '../../src/store/keys/key-bundle.ts';
import { createKeyring } from '../../src/store/keys/keyring.ts';
import { keyColumnsOf } from '../../src/store/sql/licenses/key-hashes.ts';
import { CHUNK, type Dataset, MASTER_KEY, type Rows } from '../run/dataset.ts';

/**
 * The data set for measuring the console: licenses as a vendor has them after years, with every status and many expiry
 * dates, with orders, customers and an activation each. Every value derives from the number of the license, so that a
 * benchmark can ask for any of them.
 */
const PRODUCTS = 20;
const DAYS = 1_000;
const DAY_MS = 86_400_000;
const STATUSES = [3, 3, 3, 2, 1, 3, 4, 3, 3, 5];

/** Returns a key of five chunks of five characters. The endings of the keys differ. */
export function keyOf(i: number): string {
  const digits = hash('sha1', `console ${i}`).toUpperCase();
  return [0, 5, 10, 15, 20].map((at) => digits.slice(at, at + 5)).join('-');
}
export const orderOf = (i: number): number => 100_000 + i;
/** Each customer has five licenses. */
export const customerOf = (i: number): number => 1 + Math.floor(i / 5);
export const productOf = (i: number): number => 101 + (i % PRODUCTS);
export const labelOf = (i: number): string => `shop-${i.toString(36)}.example`;
export const addressOf = (i: number): string => `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;

const at = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

export const CONSOLE: Dataset = { name: 'console', activations: 1, rows };

function* rows(licenses: number): Generator<Rows> {
  const keyring = createKeyring(firstBundle(Buffer.from(MASTER_KEY, 'hex')));
  const now = Date.now();
  const step = (DAYS * DAY_MS) / licenses;
  for (let from = 1; from <= licenses; from += CHUNK) {
    const numbers = Array.from({ length: Math.min(CHUNK, licenses - from + 1) }, (_, n) => from + n);
    const keys = numbers.map((i) => keyColumnsOf(keyOf(i), keyring));
    const created = numbers.map((i) => now - (licenses - i) * step - step);
    yield {
      table: 'licenses',
      columns: {
        key_hash: keys.map(({ key_hash }) => key_hash),
        sealed_key: keys.map(({ sealed_key }) => sealed_key),
        ending_hash: keys.map(({ ending_hash }) => ending_hash),
        order_id: numbers.map(orderOf),
        product_id: numbers.map(productOf),
        user_id: numbers.map(customerOf),
        expires_at: numbers.map((i, n) => (i % 3 === 0 ? null : at((created[n] as number) + 365 * DAY_MS))),
        status: numbers.map((i) => STATUSES[i % STATUSES.length] as number),
        created_at: created.map(at),
      },
      same: { valid_for: '365', source: '3', times_activated: '1', activations_limit: '3', created_by: '1' },
    };
    yield {
      table: 'activations',
      columns: {
        license_id: numbers,
        token: numbers.map((i) => hash('sha1', `token ${i}`)),
        label: numbers.map(labelOf),
        ip_address: numbers.map(addressOf),
        created_at: created.map(at),
      },
      same: { source: '2', user_agent: "'WordPress/6.9'" },
    };
  }
}
