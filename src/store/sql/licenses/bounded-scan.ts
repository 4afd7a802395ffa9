import { setImmediate } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { MAX_REFERENCE } from '../../../domain/fields.ts';
import type { Schema } from '../schema.ts';
import type { Connection } from '../statement.ts';

export type Condition = RawBuilder<boolean>;

/**
 * A scan of a table for a search, newest rows first. An index leads to candidate rows; further conditions filter them. No
 * statement reads more than some thousand rows.
 */
export interface Scan {
  table: 'licenses' | 'activations';
  /**
   * A condition that an index answers in the order of ids; null to scan the whole table; or the candidates themselves, of
   * which a query returns at most MOST + 1 in any order.
   */
  by: Condition | null | { ids: RawBuilder<{ id: number }> | readonly number[] };
  /** Columns of the table that `others` use. */
  columns: readonly string[];
  /** Conditions that each candidate must meet. */
  others: readonly Condition[];
  /** The number of rows, where it is known. */
  counted?: Counted;
  /** Whether some candidates were left out, because there were too many. */
  isCut?: boolean;
}

/** Rows counted at most. Past that, a total is "more". */
export const MOST = 10_000;
/** Rows that one statement filters; reading one costs up to 12 µs. Few at first, because matches are mostly among the newest. */
const FIRST = 1_000;
const WINDOW = 2_000;
/** Statements that one count may run. Past that, a total is "more". */
const COUNTS = 5;

/** A total that costs no more than the page that it is shown on. */
export interface Counted {
  total: number;
  /** Whether there are, or may be, more than `total`. */
  isMore: boolean;
}
export interface FoundIds {
  /** Highest first. */
  ids: number[];
  /** Whether these are all there are, so that no count is needed. */
  isAll: boolean;
}

export function boundedScans(db: Kysely<Schema>) {
  const run = async <T>(connection: Connection, query: RawBuilder<T>): Promise<T[]> => {
    const { sql: text, parameters } = query.compile(db);
    return (await connection.execute(text, parameters, { name: null, reads: true })).rows as T[];
  };
  const all = (conditions: readonly Condition[]) =>
    conditions.length === 0 ? sql<boolean>`1 = 1` : sql<boolean>`${sql.join(conditions, sql` and `)}`;
  const idOf = ({ table }: Scan) => sql.ref(`${table}.id`);
  /** The rows that one statement filters, under the name of their table. */
  const window = (scan: Scan, by: Condition | null, upTo: number, rows: number) => {
    const names = sql.join(['id', ...scan.columns].map((name) => sql.ref(`${scan.table}.${name}`)));
    const where = all([...(by ? [by] : []), sql<boolean>`${idOf(scan)} <= ${upTo}`]);
    return sql`(select ${names} from ${sql.table(scan.table)} where ${where}
      order by ${idOf(scan)} desc limit ${rows}) as ${sql.ref(scan.table)}`;
  };
  const pick = (scan: Scan, from: RawBuilder<unknown>, limit: number) =>
    sql<{ id: number }>`select ${idOf(scan)} as id from ${from} where ${all(scan.others)}
      order by ${idOf(scan)} desc limit ${limit}`;
  const tally = (scan: Scan, from: RawBuilder<unknown>) =>
    sql<{ seen: number; found: number }>`
      select count(*) as seen, coalesce(sum(case when ${all(scan.others)} then 1 else 0 end), 0) as found from ${from}`;
  /** The lowest id of a window; null where this window is the last. */
  const endOf = async (
    connection: Connection,
    scan: Scan,
    by: Condition | null,
    upTo: number,
    rows: number,
  ) => {
    const from = window({ ...scan, columns: [] }, by, upTo, rows);
    const last = sql<{ id: number }>`select ${idOf(scan)} as id from ${from}
      order by ${idOf(scan)} desc limit 1 offset ${rows - 1}`;
    return (await run(connection, last))[0]?.id ?? null;
  };
  const rowsOf = (scan: Scan, ids: readonly number[]) =>
    sql`(select * from ${sql.table(scan.table)} where id in (${sql.join(ids)})) as ${sql.ref(scan.table)}`;
  /** Candidate ids, highest first and each once; and whether they are all there are. */
  const named = async (connection: Connection, ids: RawBuilder<{ id: number }> | readonly number[]) => {
    const rows = 'compile' in ids ? (await run(connection, ids)).map(({ id }) => id) : ids;
    return { ids: [...new Set(rows)].sort((one, other) => other - one), isAll: rows.length <= MOST };
  };
  const pieces = (ids: readonly number[]) =>
    Array.from({ length: Math.ceil(ids.length / WINDOW) }, (_, i) => ids.slice(i * WINDOW, (i + 1) * WINDOW));

  return {
    run,
    /** The highest ids below `before`, at most `limit`. */
    async ids(connection: Connection, scan: Scan, before: number | null, limit: number): Promise<FoundIds> {
      const { by, others } = scan;
      const found: number[] = [];
      const upTo = before === null ? MAX_REFERENCE : before - 1;
      if (by && 'ids' in by) {
        const { ids, isAll } = await named(connection, by.ids);
        const below = ids.filter((id) => id <= upTo);
        if (others.length === 0) return { ids: below.slice(0, limit), isAll: isAll && below.length <= limit };
        for (const piece of pieces(below)) {
          const some = await run(connection, pick(scan, rowsOf(scan, piece), limit - found.length));
          for (const { id } of some) found.push(id);
          if (found.length === limit) return { ids: found, isAll: false };
          await setImmediate();
        }
        return { ids: found, isAll };
      }
      for (let [from, rows] = [upTo, others.length > 0 ? FIRST : limit]; ; rows = WINDOW) {
        const some = await run(connection, pick(scan, window(scan, by, from, rows), limit - found.length));
        for (const { id } of some) found.push(id);
        if (found.length === limit) return { ids: found, isAll: false };
        const end = others.length === 0 ? null : await endOf(connection, scan, by, from, rows);
        if (end === null) return { ids: found, isAll: true };
        from = end - 1;
        await setImmediate();
      }
    },
    /** The number of rows that a scan finds. */
    async count(connection: Connection, scan: Scan): Promise<Counted> {
      const { by, others } = scan;
      let total = 0;
      const counted = (isMore: boolean) => ({
        total: Math.min(total, MOST),
        isMore: isMore || total > MOST,
      });
      if (by && 'ids' in by) {
        const { ids, isAll } = await named(connection, by.ids);
        if (others.length === 0) total = ids.length;
        else
          for (const piece of pieces(ids)) {
            total += (await run(connection, tally(scan, rowsOf(scan, piece))))[0]?.found ?? 0;
            await setImmediate();
          }
        return counted(!isAll);
      }
      const rows = others.length === 0 ? MOST + 1 : WINDOW;
      for (let [upTo, counts] = [MAX_REFERENCE, 1]; ; counts++) {
        const { seen = 0, found = 0 } =
          (await run(connection, tally(scan, window(scan, by, upTo, rows))))[0] ?? {};
        total += found;
        if (seen < rows || total > MOST) return counted(false);
        if (counts === COUNTS) return counted(true);
        const end = await endOf(connection, scan, by, upTo, rows);
        if (end === null) return counted(false);
        upTo = end - 1;
        await setImmediate();
      }
    },
  };
}
