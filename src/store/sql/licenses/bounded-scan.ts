import { setImmediate } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { MAX_REFERENCE } from '../../../domain/fields.ts';
import type { SearchPage } from '../../store.ts';
import type { Database } from '../schema.ts';
import { type Connection, execute } from '../statement.ts';

export type Condition = RawBuilder<boolean>;

/**
 * A scan of a table for a search, newest rows first. An index leads to candidate rows; further conditions filter them. No
 * statement reads more than some thousand rows.
 */
export interface Scan {
  table: 'licenses' | 'activations';
  /** A condition that an index answers in the order of ids; null to scan the whole table; or all candidates, in any order. */
  by: Condition | null | { ids: readonly number[] };
  /** Conditions that each candidate must meet. */
  filters: readonly Condition[];
  /** Columns of the table that `filters` use. */
  columns: readonly string[];
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

/** The page of some ids, of which one more than the limit were looked for. */
export function pageOfIds(ids: readonly number[], { before, limit }: SearchPage, { total, isMore }: Counted) {
  const page = ids.slice(0, limit);
  return {
    page,
    next: ids.length > limit ? (page.at(-1) ?? null) : null,
    total: before === null ? Math.max(total, ids.length) : total,
    totalIsMore: isMore,
  };
}

export function boundedScans(db: Database) {
  const run = async <T>(connection: Connection, query: RawBuilder<T>): Promise<T[]> =>
    (await execute(connection, { compile: () => query.compile(db) }, { reads: true })).rows;
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
  /** The highest id before the next window; null where this window is the last. */
  const nextOf = async (c: Connection, scan: Scan, by: Condition | null, upTo: number, rows: number) => {
    const from = window({ ...scan, columns: [] }, by, upTo, rows);
    const last = sql<{ id: number }>`select ${idOf(scan)} as id from ${from}
      order by ${idOf(scan)} desc limit 1 offset ${rows - 1}`;
    const lowest = (await run(c, last))[0];
    return lowest ? lowest.id - 1 : null;
  };
  const matchesIn = (scan: Scan, from: RawBuilder<unknown>, limit: number) =>
    sql<{ id: number }>`select ${idOf(scan)} as id from ${from} where ${all(scan.filters)}
      order by ${idOf(scan)} desc limit ${limit}`;
  const countIn = async (c: Connection, scan: Scan, from: RawBuilder<unknown>) => {
    const counts = sql<{ seen: number; matches: number }>`select count(*) as seen,
      coalesce(sum(case when ${all(scan.filters)} then 1 else 0 end), 0) as matches from ${from}`;
    return (await run(c, counts))[0] ?? { seen: 0, matches: 0 };
  };
  /** The rows of some ids, in parts that one statement filters. */
  const parts = ({ table }: Scan, ids: readonly number[]) =>
    Array.from({ length: Math.ceil(ids.length / WINDOW) }, (_, i) => {
      const part = sql.join(ids.slice(i * WINDOW, (i + 1) * WINDOW));
      return sql`(select * from ${sql.table(table)} where id in (${part})) as ${sql.ref(table)}`;
    });

  return {
    run,
    /** The highest ids below `before`, at most `limit`. */
    async ids(connection: Connection, scan: Scan, before: number | null, limit: number): Promise<FoundIds> {
      const { by, filters } = scan;
      const found: number[] = [];
      /** @returns whether there are as many as wanted */
      const findIn = async (from: RawBuilder<unknown>) => {
        for (const { id } of await run(connection, matchesIn(scan, from, limit - found.length)))
          found.push(id);
        return found.length === limit;
      };
      let upTo = before === null ? MAX_REFERENCE : before - 1;
      if (by && 'ids' in by) {
        const ids = [...new Set(by.ids)].filter((id) => id <= upTo).sort((one, other) => other - one);
        if (filters.length === 0) return { ids: ids.slice(0, limit), isAll: ids.length <= limit };
        for (const part of parts(scan, ids)) {
          if (await findIn(part)) return { ids: found, isAll: false };
          await setImmediate();
        }
        return { ids: found, isAll: true };
      }
      for (let rows = filters.length > 0 ? FIRST : limit; ; rows = WINDOW) {
        if (await findIn(window(scan, by, upTo, rows))) return { ids: found, isAll: false };
        const next = filters.length === 0 ? null : await nextOf(connection, scan, by, upTo, rows);
        if (next === null) return { ids: found, isAll: true };
        upTo = next;
        await setImmediate();
      }
    },
    /** The number of rows that a scan finds. */
    async count(connection: Connection, scan: Scan): Promise<Counted> {
      const { by, filters } = scan;
      let total = 0;
      if (by && 'ids' in by) {
        if (filters.length === 0) return { total: new Set(by.ids).size, isMore: false };
        for (const part of parts(scan, [...new Set(by.ids)])) {
          total += (await countIn(connection, scan, part)).matches;
          await setImmediate();
        }
        return { total, isMore: false };
      }
      const rows = filters.length === 0 ? MOST + 1 : WINDOW;
      for (let [upTo, counts] = [MAX_REFERENCE, 1]; ; counts++) {
        const { seen, matches } = await countIn(connection, scan, window(scan, by, upTo, rows));
        total += matches;
        if (seen < rows || total > MOST) break;
        if (counts === COUNTS) return { total, isMore: true };
        const next = await nextOf(connection, scan, by, upTo, rows);
        if (next === null) break;
        upTo = next;
        await setImmediate();
      }
      return { total: Math.min(total, MOST), isMore: total > MOST };
    },
  };
}
