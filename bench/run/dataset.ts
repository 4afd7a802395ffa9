import { hash } from 'node:crypto';
import { firstBundle } from '../../src/store/keys/key-bundle.ts';
import { createKeyring } from '../../src/store/keys/keyring.ts';

/** Master key of the service, the same for every data set. */
export const MASTER_KEY = '07'.repeat(32);

/** Some rows of a table. */
export interface Rows {
  table: 'licenses' | 'activations';
  /** Values of the columns that differ, one for each row. */
  columns: Record<string, (string | number | Uint8Array | null)[]>;
  /** The other columns, as SQL. */
  same: Record<string, string>;
}

/** The content of a database for a benchmark: licenses numbered from 1, each with the same number of activations. */
export interface Dataset {
  name: string;
  /** Per license. */
  activations: number;
  /** Yields licenses before their activations. */
  rows(licenses: number): Generator<Rows>;
}

/** Licenses that are made at a time. */
export const CHUNK = 20_000;
/** Activations of each license in the data set of `npm run bench`. */
export const ACTIVATIONS = 3;
const PRODUCTS = 50;
const WHEN = "'2026-01-01 00:00:00'";

/** Keys and tokens derive from numbers, so that a benchmark can ask for any of them without storing them. */
export const keyOf = (i: number): string => `BENCH-${String(i).padStart(8, '0')}-LATCHKEY`;
export const tokenOf = (i: number, nth: number): string => hash('sha1', `bench ${i} ${nth}`);

/** Licenses without an activation limit or expiry. */
export const BENCH: Dataset = { name: 'bench', activations: ACTIVATIONS, rows };

function* rows(licenses: number): Generator<Rows> {
  const keyring = createKeyring(firstBundle(Buffer.from(MASTER_KEY, 'hex')));
  for (let from = 1; from <= licenses; from += CHUNK) {
    const license = { key_hash: [] as Buffer[], sealed_key: [] as Buffer[], product_id: [] as number[] };
    const activation = {
      license_id: [] as number[],
      token: [] as string[],
      sealed_token: [] as Buffer[],
    };
    for (let i = from; i < from + CHUNK && i <= licenses; i++) {
      const hash = keyring.keyIndex(keyring.hash(keyOf(i)));
      license.key_hash.push(hash);
      license.sealed_key.push(keyring.seal(keyOf(i), hash));
      license.product_id.push(i % PRODUCTS);
      for (let nth = 0; nth < ACTIVATIONS; nth++) {
        const token = tokenOf(i, nth);
        const index = keyring.tokenIndex(token);
        activation.license_id.push(i);
        activation.token.push(index);
        activation.sealed_token.push(keyring.seal(token, Buffer.from(index)));
      }
    }
    yield {
      table: 'licenses',
      columns: license,
      same: {
        valid_for: '0',
        source: '2',
        status: '3',
        times_activated: String(ACTIVATIONS),
        activations_limit: '0',
        created_at: WHEN,
        created_by: '1',
      },
    };
    yield { table: 'activations', columns: activation, same: { source: '2', created_at: WHEN } };
  }
}

/**
 * Returns the statements that remove what runs have made, so that the data set does not grow with each run. They also
 * reset the activation counters of licenses.
 */
export const restoring = ({ activations }: Dataset, licenses: number): string[] => [
  `update licenses set times_activated = ${activations}
     where id in (select license_id from activations where id > ${licenses * activations})`,
  `delete from activations where id > ${licenses * activations}`,
  `delete from licenses where id > ${licenses}`,
  'delete from event_endpoints',
  'delete from event_deliveries',
  'delete from events',
];

/**
 * Name of the row in the service's table `meta` that says how complete the data set is. The mark disappears with the
 * database.
 */
export const MARK = 'bench';
export const making = (licenses: number): string => `making ${licenses}`;
export const whole = ({ name, activations }: Dataset, licenses: number): string =>
  `${name}: ${licenses} licenses with ${activations} activations each`;
export const marking = (value: string): string =>
  `insert into meta (name, value) values ('${MARK}', '${value}')
     on conflict (name) do update set value = excluded.value`;

/** A database for a data set, on one of the engines. */
export interface Database {
  /** Settings of the service that make it use this database. */
  settings: Record<string, string>;
  /** Returns the value of the mark; null without a mark or a database. */
  mark(): Promise<string | null>;
  /** Removes everything. @throws if the database may not belong to the benchmark */
  clear(): Promise<void>;
  /** Fills the tables that the service has made. They must not hold licenses yet. */
  fill(dataset: Dataset, licenses: number): Promise<void>;
  /** Runs the statements of `restoring`. No service may be running. */
  restore(statements: readonly string[]): Promise<void>;
  /** Loads the database's files into the page cache, as after some hours of service. */
  readIn(): Promise<void>;
  /** Returns the size in MiB, from the files or from the database server. */
  size(): Promise<number>;
  /** Returns the processes of the database server; null if there are none on this machine. */
  pids(): number[] | null;
  close(): Promise<void>;
}
