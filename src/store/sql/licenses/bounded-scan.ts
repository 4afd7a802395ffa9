import { setImmediate } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { MAX_REFERENCE } from '../../../domain/fields.ts';
import type { Schema } from '../schema.ts';
import type { Connection } from '../statement.ts';

export type Condition = RawBuilder<boolean>;

/**
 * How a search goes through a table, newest first, so that no statement looks at more than some thousand rows whatever is
 * sought: what leads to rows by an index, and what is then asked of each.
 */
export interface Walk {
  table: 'licenses' | 'activations';
  /** What an index answers in the order of ids; null to go down them all. A query answers at most MOST + 1 ids in any order. */
  by: Condition | null | { ids: RawBuilder<{ id: number }> | readonly number[] };
  /** Columns that `others` name, of the table. */
  columns: readonly string[];
  others: readonly Condition[];
  /** How many rows there are, where that is known. */
  counted?: Counted;
  /** Whether only some of those were looked through that may be sought. */
  isCut?: boolean;
}

/** Rows that are counted at most; past that there are "more". */
export const MOST = 10_000;
/**
 * Rows that one statement asks for more than its index has: 12 µs each where they lie far apart. Few first, because what is
 * sought is mostly near.
 */
const FIRST = 1_000;
const WINDOW = 2_000;
/** Statements that a count may take, past which there may be more than were counted. */
const COUNTS = 5;

/** Nobody who waits for a page is told a total that took longer than the page. */
export interface Counted {
  total: number;
  /** Whether there are more than that, or may be. */
  isMore: boolean;
}
export interface FoundIds {
  /** Highest first. */
  ids: number[];
  /** Whether these are all, so that nobody needs to count. */
  isAll: boolean;
}

export function walker(db: Kysely<Schema>) {
  const run = async <T>(connection: Connection, query: RawBuilder<T>): Promise<T[]> => {
    const { sql: text, parameters } = query.compile(db);
    return (await connection.execute(text, parameters, { name: null, reads: true })).rows as T[];
  };
  const all = (conditions: readonly Condition[]) =>
    conditions.length === 0 ? sql<boolean>`1 = 1` : sql<boolean>`${sql.join(conditions, sql` and `)}`;
  const idOf = ({ table }: Walk) => sql.ref(`${table}.id`);
  /** The rows that one statement looks at, under the name of their table. */
  const window = (walk: Walk, by: Condition | null, upTo: number, rows: number) => {
    const names = sql.join(['id', ...walk.columns].map((name) => sql.ref(`${walk.table}.${name}`)));
    const where = all([...(by ? [by] : []), sql<boolean>`${idOf(walk)} <= ${upTo}`]);
    return sql`(select ${names} from ${sql.table(walk.table)} where ${where}
      order by ${idOf(walk)} desc limit ${rows}) as ${sql.ref(walk.table)}`;
  };
  const pick = (walk: Walk, from: RawBuilder<unknown>, limit: number) =>
    sql<{ id: number }>`select ${idOf(walk)} as id from ${from} where ${all(walk.others)}
      order by ${idOf(walk)} desc limit ${limit}`;
  const tally = (walk: Walk, from: RawBuilder<unknown>) =>
    sql<{ seen: number; found: number }>`
      select count(*) as seen, coalesce(sum(case when ${all(walk.others)} then 1 else 0 end), 0) as found from ${from}`;
  /** The id below which the next window begins; null where this was the last. */
  const endOf = async (
    connection: Connection,
    walk: Walk,
    by: Condition | null,
    upTo: number,
    rows: number,
  ) => {
    const from = window({ ...walk, columns: [] }, by, upTo, rows);
    const last = sql<{ id: number }>`select ${idOf(walk)} as id from ${from}
      order by ${idOf(walk)} desc limit 1 offset ${rows - 1}`;
    return (await run(connection, last))[0]?.id ?? null;
  };
  const rowsOf = (walk: Walk, ids: readonly number[]) =>
    sql`(select * from ${sql.table(walk.table)} where id in (${sql.join(ids)})) as ${sql.ref(walk.table)}`;
  /** Those that a query names, highest first and each once; whether it named all there are. */
  const named = async (connection: Connection, ids: RawBuilder<{ id: number }> | readonly number[]) => {
    const rows = 'compile' in ids ? (await run(connection, ids)).map(({ id }) => id) : ids;
    return { ids: [...new Set(rows)].sort((one, other) => other - one), isAll: rows.length <= MOST };
  };
  const pieces = (ids: readonly number[]) =>
    Array.from({ length: Math.ceil(ids.length / WINDOW) }, (_, i) => ids.slice(i * WINDOW, (i + 1) * WINDOW));

  return {
    run,
    /** The highest ids below one, at most so many. */
    async ids(connection: Connection, walk: Walk, before: number | null, limit: number): Promise<FoundIds> {
      const { by, others } = walk;
      const found: number[] = [];
      const upTo = before === null ? MAX_REFERENCE : before - 1;
      if (by && 'ids' in by) {
        const { ids, isAll } = await named(connection, by.ids);
        const below = ids.filter((id) => id <= upTo);
        if (others.length === 0) return { ids: below.slice(0, limit), isAll: isAll && below.length <= limit };
        for (const piece of pieces(below)) {
          const some = await run(connection, pick(walk, rowsOf(walk, piece), limit - found.length));
          for (const { id } of some) found.push(id);
          if (found.length === limit) return { ids: found, isAll: false };
          await setImmediate();
        }
        return { ids: found, isAll };
      }
      for (let [from, rows] = [upTo, others.length > 0 ? FIRST : limit]; ; rows = WINDOW) {
        const some = await run(connection, pick(walk, window(walk, by, from, rows), limit - found.length));
        for (const { id } of some) found.push(id);
        if (found.length === limit) return { ids: found, isAll: false };
        const end = others.length === 0 ? null : await endOf(connection, walk, by, from, rows);
        if (end === null) return { ids: found, isAll: true };
        from = end - 1;
        await setImmediate();
      }
    },
    /** How many rows there are. */
    async count(connection: Connection, walk: Walk): Promise<Counted> {
      const { by, others } = walk;
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
            total += (await run(connection, tally(walk, rowsOf(walk, piece))))[0]?.found ?? 0;
            await setImmediate();
          }
        return counted(!isAll);
      }
      const rows = others.length === 0 ? MOST + 1 : WINDOW;
      for (let [upTo, counts] = [MAX_REFERENCE, 1]; ; counts++) {
        const { seen = 0, found = 0 } =
          (await run(connection, tally(walk, window(walk, by, upTo, rows))))[0] ?? {};
        total += found;
        if (seen < rows || total > MOST) return counted(false);
        if (counts === COUNTS) return counted(true);
        const end = await endOf(connection, walk, by, upTo, rows);
        if (end === null) return counted(false);
        upTo = end - 1;
        await setImmediate();
      }
    },
  };
}
