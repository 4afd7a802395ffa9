import { hash } from 'node:crypto';
import { firstBundle } from '../../src/store/keys/key-bundle.ts';
import { createKeyring } from '../../src/store/keys/keyring.ts';

/**
 * What is in a database that is measured: licenses numbered from 1, without a limit, each with some activations. Keys and
 * tokens are made of the numbers, so that any of them can be asked for without having been remembered.
 */
export const MASTER_KEY = '07'.repeat(32);
/** Of each license. */
export const ACTIVATIONS = 3;
const PRODUCTS = 50;
const WHEN = '2026-01-01 00:00:00';

export const keyOf = (i: number): string => `BENCH-${String(i).padStart(8, '0')}-LATCHKEY`;
export const tokenOf = (i: number, nth: number): string => hash('sha1', `bench ${i} ${nth}`);

/** Columns of some licenses, and of their activations. */
interface Chunk {
  keyHashes: Buffer[];
  sealedKeys: Buffer[];
  productIds: number[];
  licenseIds: number[];
  tokenIndexes: string[];
  sealedTokens: Buffer[];
}

const CHUNK = 20_000;

export function* chunks(licenses: number): Generator<Chunk> {
  const keyring = createKeyring(firstBundle(Buffer.from(MASTER_KEY, 'hex')));
  for (let from = 1; from <= licenses; from += CHUNK) {
    const chunk: Chunk = {
      ...{ keyHashes: [], sealedKeys: [], productIds: [] },
      ...{ licenseIds: [], tokenIndexes: [], sealedTokens: [] },
    };
    for (let i = from; i < from + CHUNK && i <= licenses; i++) {
      const hash = keyring.keyIndex(keyring.hash(keyOf(i)));
      chunk.keyHashes.push(hash);
      chunk.sealedKeys.push(keyring.seal(keyOf(i), hash));
      chunk.productIds.push(i % PRODUCTS);
      for (let nth = 0; nth < ACTIVATIONS; nth++) {
        chunk.licenseIds.push(i);
        const token = tokenOf(i, nth);
        const index = keyring.tokenIndex(token);
        chunk.tokenIndexes.push(index);
        chunk.sealedTokens.push(keyring.seal(token, Buffer.from(index)));
      }
    }
    yield chunk;
  }
}

/** What the service writes of a license, and of an activation, besides the columns of a chunk. */
export const REST_OF_LICENSE = {
  columns: 'valid_for, source, status, times_activated, activations_limit, created_at, created_by',
  values: `0, 2, 3, ${ACTIVATIONS}, 0, '${WHEN}', 1`,
};
export const REST_OF_ACTIVATION = { columns: 'source, created_at', values: `2, '${WHEN}'` };

/**
 * Takes back what runs have made: kept, it would let the data set grow with each of them. The licenses that a run has
 * activated are counted anew.
 */
export const restoring = (licenses: number): string[] => [
  `update licenses set times_activated = ${ACTIVATIONS}
     where id in (select license_id from activations where id > ${licenses * ACTIVATIONS})`,
  `delete from activations where id > ${licenses * ACTIVATIONS}`,
  `delete from licenses where id > ${licenses}`,
  'delete from event_endpoints',
  'delete from event_deliveries',
  'delete from events',
];

/** A row of the service's table `meta` says how far the data set is: it goes with the database, and only with it. */
export const MARK = 'bench';
export const making = (licenses: number): string => `making ${licenses}`;
export const whole = (licenses: number): string =>
  `${licenses} licenses with ${ACTIVATIONS} activations each`;
export const marking = (value: string): string =>
  `insert into meta (name, value) values ('${MARK}', '${value}')
     on conflict (name) do update set value = excluded.value`;

/** Where a data set is kept, on one of the engines. */
export interface Database {
  /** What the service is told, to find it. */
  settings: Record<string, string>;
  /** Value of the mark; null where there is none, or no database. */
  mark(): Promise<string | null>;
  /** Removes all there is. @throws where it may not be ours */
  clear(): Promise<void>;
  /** Into tables that the service has made, and that hold no licenses. */
  fill(licenses: number): Promise<void>;
  /** Runs the statements of `restoring`, while no service does. */
  restore(statements: readonly string[]): Promise<void>;
  /** Has the machine read what it keeps in memory of files, as it would have after some hours of service. */
  readIn(): Promise<void>;
  /** Its files, or what its server says, in MiB. */
  size(): Promise<number>;
  /** Processes of its own server, where that is on this machine. */
  pids(): number[] | null;
  close(): Promise<void>;
}
