import { setImmediate } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { MAX_REFERENCE } from '../../domain/fields.ts';
import type { Schema } from './schema.ts';
import type { Connection } from './statement.ts';

/**
 * How a search goes through a table, newest first, so that no statement reads more than some thousand rows whatever is
 * sought: what leads to rows by an index, and what is then asked of each.
 */
export interface Walk {
  table: 'licenses' | 'activations';
  /** Columns that `others` name, of the table. */
  columns: readonly string[];
  /** What an index answers; null to go down the ids. */
  by: Condition | null;
  /** Whether the index has the rows in the order of their ids. Where not, there are at most MOST that matter. */
  ordered: boolean;
  others: readonly Condition[];
}
export type Condition = RawBuilder<boolean>;

/** Rows that are counted at most; past that there are "more". */
export const MOST = 10_000;
/** Rows that one statement looks at: few first, because what is sought is mostly near. */
const FIRST = 1_000;
const WINDOW = 10_000;
/** Statements that a count may take. */
const COUNTS = 5;

/** Nobody who waits for a page is told a total that took longer than the page. */
export interface Counted {
  total: number;
  /** Whether there are more than that, or may be. */
  isMore: boolean;
}

export function walker(db: Kysely<Schema>) {
  const run = async <T>(connection: Connection, query: RawBuilder<T>): Promise<T[]> => {
    const { sql: text, parameters } = query.compile(db);
    return (await connection.execute(text, parameters, { name: null, reads: true })).rows as T[];
  };
  const all = (conditions: readonly Condition[]) =>
    conditions.length === 0 ? sql<boolean>`1 = 1` : sql<boolean>`${sql.join(conditions, sql` and `)}`;
  /** The rows that one statement looks at. */
  const window = ({ table, columns, by, ordered }: Walk, upTo: number, rows: number) => {
    const names = sql.join(['id', ...columns].map((name) => sql.ref(`${table}.${name}`)));
    // With a plus it is no index for the engine: another leads to the few rows that matter.
    const id = ordered ? sql.ref(`${table}.id`) : sql`+${sql.ref(`${table}.id`)}`;
    const where = all([...(by ? [by] : []), sql<boolean>`${id} <= ${upTo}`]);
    const order = ordered ? sql`order by ${sql.ref(`${table}.id`)} desc` : sql``;
    return sql`(select ${names} from ${sql.table(table)} where ${where} ${order} limit ${rows}) as ${sql.ref(table)}`;
  };
  const pick = (walk: Walk, upTo: number, rows: number, limit: number) =>
    sql<{ id: number }>`
      select ${sql.ref(`${walk.table}.id`)} as id from ${window(walk, upTo, rows)}
      where ${all(walk.others)} order by ${sql.ref(`${walk.table}.id`)} desc limit ${limit}`;
  /** The id below which the next window begins; null where this was the last. */
  const endOf = async (connection: Connection, walk: Walk, upTo: number, rows: number) => {
    const last = sql<{ id: number }>`
      select ${sql.ref(`${walk.table}.id`)} as id from ${window({ ...walk, columns: [] }, upTo, rows)}
      order by ${sql.ref(`${walk.table}.id`)} desc limit 1 offset ${rows - 1}`;
    return (await run(connection, last))[0]?.id ?? null;
  };

  return {
    run,
    /** The newest ids before one, at most so many. */
    async ids(connection: Connection, walk: Walk, before: number | null, limit: number): Promise<number[]> {
      const found: number[] = [];
      let upTo = before === null ? MAX_REFERENCE : before - 1;
      if (!walk.ordered) {
        return (await run(connection, pick(walk, upTo, MOST + 1, limit))).map(({ id }) => id);
      }
      for (let rows = walk.others.length > 0 ? FIRST : limit; ; rows = WINDOW) {
        const some = await run(connection, pick(walk, upTo, rows, limit - found.length));
        for (const { id } of some) found.push(id);
        if (found.length >= limit || walk.others.length === 0) return found;
        const end = await endOf(connection, walk, upTo, rows);
        if (end === null) return found;
        upTo = end - 1;
        await setImmediate();
      }
    },
    /** How many rows there are. */
    async count(connection: Connection, walk: Walk): Promise<Counted> {
      let total = 0;
      let upTo = MAX_REFERENCE;
      for (let counts = 1; ; counts++) {
        const counting = sql<{ seen: number; found: number }>`
          select count(*) as seen, coalesce(sum(case when ${all(walk.others)} then 1 else 0 end), 0) as found
          from ${window(walk, upTo, MOST + 1)}`;
        const { seen = 0, found = 0 } = (await run(connection, counting))[0] ?? {};
        total += found;
        if (seen <= MOST) return { total: Math.min(total, MOST), isMore: total > MOST };
        if (total > MOST || !walk.ordered || counts === COUNTS || walk.others.length === 0)
          return { total: Math.min(total, MOST), isMore: true };
        const end = await endOf(connection, walk, upTo, MOST + 1);
        if (end === null) return { total, isMore: false };
        upTo = end - 1;
        await setImmediate();
      }
    },
  };
}
export type Walker = ReturnType<typeof walker>;
