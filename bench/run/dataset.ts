import { hash } from 'node:crypto';
import { firstBundle } from '../../src/store/keys/key-bundle.ts';
import { createKeyring } from '../../src/store/keys/keyring.ts';

/** Of the service on any data set. */
export const MASTER_KEY = '07'.repeat(32);

/** Some rows of a table. */
export interface Rows {
  table: 'licenses' | 'activations';
  /** Values of the columns that differ, one for each row. */
  columns: Record<string, (string | number | Uint8Array | null)[]>;
  /** The other columns, as SQL. */
  same: Record<string, string>;
}

/** What a database holds that is measured: licenses numbered from 1, each with as many activations as the others. */
export interface Dataset {
  name: string;
  /** Of each license. */
  activations: number;
  /** Licenses come before their activations. */
  rows(licenses: number): Generator<Rows>;
}

/** Rows that are made at a time. */
export const CHUNK = 20_000;
/** Of the benchmark: of each license. */
export const ACTIVATIONS = 3;
const PRODUCTS = 50;
const WHEN = "'2026-01-01 00:00:00'";

/** Keys and tokens are made of the numbers, so that any of them can be asked for without having been remembered. */
export const keyOf = (i: number): string => `BENCH-${String(i).padStart(8, '0')}-LATCHKEY`;
export const tokenOf = (i: number, nth: number): string => hash('sha1', `bench ${i} ${nth}`);

/** Licenses without a limit and without an end. */
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
        ...{ valid_for: '0', source: '2', status: '3', times_activated: String(ACTIVATIONS) },
        ...{ activations_limit: '0', created_at: WHEN, created_by: '1' },
      },
    };
    yield { table: 'activations', columns: activation, same: { source: '2', created_at: WHEN } };
  }
}

/**
 * Takes back what runs have made: kept, it would let the data set grow with each of them. The licenses that a run has
 * activated are counted anew.
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

/** A row of the service's table `meta` says how far the data set is: it goes with the database, and only with it. */
export const MARK = 'bench';
export const making = (licenses: number): string => `making ${licenses}`;
export const whole = ({ name, activations }: Dataset, licenses: number): string =>
  `${name}: ${licenses} licenses with ${activations} activations each`;
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
  fill(dataset: Dataset, licenses: number): Promise<void>;
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
