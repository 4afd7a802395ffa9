import { setImmediate } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { MAX_REFERENCE } from '../../../domain/fields.ts';
import type { SearchPage } from '../../store.ts';
import { type Connection, type Database, execute } from '../statement.ts';

export type Condition = RawBuilder<boolean>;

export const allOf = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? sql`1 = 1` : sql`${sql.join(conditions, sql` and `)}`;

/**
 * A scan of a table for a search, newest rows first. An index leads to candidate rows; further conditions filter them. No
 * statement reads more than some thousand rows.
 */
export interface Scan {
  table: 'licenses' | 'activations';
  /** A condition that an index answers in the order of ids; null to scan the whole table; or the candidates, unordered. */
  by: Condition | null | { ids: readonly number[] };
  /** Conditions that each candidate must meet. */
  filters: readonly Condition[];
  /** Columns of the table that `filters` use. */
  columns: readonly string[];
  /** The number of matches, if it is known without counting. */
  counted?: Counted;
  /** Whether some candidates were left out, because there were too many. */
  isCut?: boolean;
}

/** Maximum number of rows that are counted. Beyond it, a total is "more". */
export const MOST = 10_000;
/**
 * Rows that one statement filters; reading a row costs up to 12 µs. The first statement reads few, because most
 * matches are among the newest.
 */
const FIRST = 1_000;
const WINDOW = 2_000;
/** Maximum number of statements in one count. Beyond it, a total is "more". */
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
  /** Whether these are all matches, so that no count is needed. */
  isAll: boolean;
}

/**
 * The page of a search that looked for one id more than the limit.
 * @param count counts all matches; called only if the page does not reveal their number
 */
export async function pageOfIds({ ids, isAll }: FoundIds, search: SearchPage, count: () => Promise<Counted>) {
  const { before, limit, counted } = search;
  const page = ids.slice(0, limit);
  let totals: Counted = { total: 0, isMore: true };
  if (isAll && before === null) totals = { total: ids.length, isMore: false };
  else if (counted) totals = await count();
  return {
    page,
    next: ids.length > limit ? (page.at(-1) ?? null) : null,
    total: before === null ? Math.max(totals.total, ids.length) : totals.total,
    totalIsMore: totals.isMore,
  };
}

export function boundedScans(db: Database) {
  const run = async <T>(connection: Connection, query: RawBuilder<T>): Promise<T[]> =>
    (await execute(connection, query.compile(db), { reads: true })).rows;
  const idOf = ({ table }: Scan) => sql.ref(`${table}.id`);
  /** A subquery of the rows that one statement filters, named like their table. */
  const window = (scan: Scan, by: Condition | null, upTo: number, rows: number) => {
    const names = sql.join(['id', ...scan.columns].map((name) => sql.ref(`${scan.table}.${name}`)));
    const where = allOf([...(by ? [by] : []), sql<boolean>`${idOf(scan)} <= ${upTo}`]);
    return sql`(select ${names} from ${sql.table(scan.table)} where ${where}
      order by ${idOf(scan)} desc limit ${rows}) as ${sql.ref(scan.table)}`;
  };
  /** The highest id that the next window may have; null if this window is the last. */
  const nextOf = async (c: Connection, scan: Scan, by: Condition | null, upTo: number, rows: number) => {
    const from = window({ ...scan, columns: [] }, by, upTo, rows);
    const last = sql<{ id: number }>`select ${idOf(scan)} as id from ${from}
      order by ${idOf(scan)} desc limit 1 offset ${rows - 1}`;
    const lowest = (await run(c, last))[0];
    return lowest ? lowest.id - 1 : null;
  };
  const matchesIn = (scan: Scan, from: RawBuilder<unknown>, limit: number) =>
    sql<{ id: number }>`select ${idOf(scan)} as id from ${from} where ${allOf(scan.filters)}
      order by ${idOf(scan)} desc limit ${limit}`;
  const countIn = async (c: Connection, scan: Scan, from: RawBuilder<unknown>) => {
    const counts = sql<{ seen: number; matches: number }>`select count(*) as seen,
      coalesce(sum(case when ${allOf(scan.filters)} then 1 else 0 end), 0) as matches from ${from}`;
    return (await run(c, counts))[0] ?? { seen: 0, matches: 0 };
  };
  /** The row sets to filter one after another, highest ids first: parts of the given ids, or windows of the table. */
  async function* pieces(c: Connection, scan: Scan, upTo: number, first: number) {
    const { table, by, filters } = scan;
    if (by && 'ids' in by) {
      const ids = idsUpTo(by.ids, upTo);
      for (let at = 0; at < ids.length; at += WINDOW) {
        const part = sql.join(ids.slice(at, at + WINDOW));
        yield sql`(select * from ${sql.table(table)} where id in (${part})) as ${sql.ref(table)}`;
        await setImmediate();
      }
      return;
    }
    let next: number | null = upTo;
    for (let rows = first; next !== null; rows = WINDOW) {
      const highest: number = next;
      yield window(scan, by, highest, rows);
      next = filters.length === 0 ? null : await nextOf(c, scan, by, highest, rows);
      await setImmediate();
    }
  }

  return {
    /** The ids of rows that a condition matches; null where there are too many to put them in order. */
    async candidates(
      connection: Connection,
      table: Scan['table'] | 'license_words',
      id: string,
      where: Condition,
    ) {
      const query = sql<{ id: number }>`
        select ${sql.ref(id)} as id from ${sql.table(table)} where ${where} limit ${MOST + 1}`;
      const rows = await run(connection, query);
      return rows.length > MOST ? null : { ids: rows.map((row) => row.id) };
    },
    /** The highest matching ids below `before`, at most `limit`. */
    async ids(connection: Connection, scan: Scan, before: number | null, limit: number): Promise<FoundIds> {
      const { by, filters } = scan;
      const upTo = before === null ? MAX_REFERENCE : before - 1;
      if (by && 'ids' in by && filters.length === 0) {
        const ids = idsUpTo(by.ids, upTo);
        return { ids: ids.slice(0, limit), isAll: ids.length <= limit };
      }
      const found: number[] = [];
      for await (const from of pieces(connection, scan, upTo, filters.length > 0 ? FIRST : limit)) {
        const rows = await run(connection, matchesIn(scan, from, limit - found.length));
        found.push(...rows.map(({ id }) => id));
        if (found.length === limit) return { ids: found, isAll: false };
      }
      return { ids: found, isAll: true };
    },
    /** The number of rows that a scan finds. */
    async count(connection: Connection, scan: Scan): Promise<Counted> {
      const { by, filters } = scan;
      const isOfIds = by !== null && 'ids' in by;
      if (isOfIds && filters.length === 0) return { total: new Set(by.ids).size, isMore: false };
      const window = filters.length === 0 ? MOST + 1 : WINDOW;
      let [total, counts] = [0, 0];
      for await (const from of pieces(connection, scan, MAX_REFERENCE, window)) {
        const { seen, matches } = await countIn(connection, scan, from);
        total += matches;
        counts++;
        if (isOfIds) continue;
        if (seen < window || total > MOST) break;
        if (counts === COUNTS) return { total, isMore: true };
      }
      return { total: Math.min(total, MOST), isMore: total > MOST };
    },
  };
}

/** The ids up to a limit, without duplicates, highest first. */
const idsUpTo = (ids: readonly number[], upTo: number): number[] =>
  [...new Set(ids)].filter((id) => id <= upTo).sort((one, other) => other - one);
