import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import {
  compareIn,
  type LicenseOrder,
  type OrderPlace,
  orderedBy,
} from '../../../domain/licenses/license-order.ts';
import { type Connection, type Database, execute } from '../statement.ts';
import { allOf, type Condition } from './bounded-scan.ts';

/** Rows that one statement reads. */
const WINDOW = 2_000;

/** Conditions on licenses that are read in an order. */
export interface OrderedFilter {
  filters: readonly Condition[];
  /** A range of the column that is sorted by: only this part of the index is read. */
  bounds: Condition | null;
}

interface Row extends OrderPlace {
  hit: number;
}

/** Pages of licenses in another order than newest first. */
export function orderedLicenses(db: Database) {
  /**
   * Reads a part of the index on the column: licenses with a value, in the order of values, or licenses without one,
   * newest first.
   */
  const window = (
    order: LicenseOrder,
    place: OrderPlace | null,
    hasValue: boolean,
    { filters, bounds }: OrderedFilter,
  ) => {
    const { column, isUp } = orderedBy(order);
    const value = sql.ref(`licenses.${column}`);
    const behind = place
      ? hasValue
        ? sql<boolean>`(${value}, licenses.id) ${sql.raw(isUp ? '>' : '<')} (${place.value}, ${place.id})`
        : sql<boolean>`licenses.id < ${place.id}`
      : sql<boolean>`1 = 1`;
    const direction = sql.raw(isUp ? 'asc' : 'desc');
    const sorted = hasValue ? sql`${value} ${direction}, licenses.id ${direction}` : sql`licenses.id desc`;
    return sql<Row>`select licenses.id as id, ${value} as value, case when ${allOf(filters)} then 1 else 0 end as hit
      from licenses where ${value} is ${sql.raw(hasValue ? 'not null' : 'null')} and ${behind} and ${bounds ?? allOf([])}
      order by ${sorted} limit ${WINDOW}`;
  };

  return {
    /** Reads the index in this order until a page is full: for filters that many licenses match. */
    async scan(
      connection: Connection,
      order: LicenseOrder,
      filter: OrderedFilter,
      after: OrderPlace | null,
      limit: number,
    ): Promise<OrderPlace[]> {
      const found: OrderPlace[] = [];
      let place = after;
      for (let hasValue = after === null || after.value !== null; ; ) {
        const query = window(order, place, hasValue, filter);
        const { rows } = await execute(connection, query.compile(db), { reads: true });
        for (const { id, value, hit } of rows) if (hit === 1) found.push({ value, id });
        if (found.length >= limit) return found.slice(0, limit);
        place = rows.at(-1) ?? null;
        if (rows.length < WINDOW) {
          if (!hasValue || !orderedBy(order).isOptional) return found;
          hasValue = false;
          place = null;
        }
        await setImmediate();
      }
    },
    /** A page of the given licenses. */
    async sort(
      connection: Connection,
      order: LicenseOrder,
      ids: readonly number[],
      after: OrderPlace | null,
      limit: number,
    ): Promise<OrderPlace[]> {
      const { column } = orderedBy(order);
      const places: OrderPlace[] = [];
      for (let at = 0; at < ids.length; at += WINDOW) {
        const query = db
          .selectFrom('licenses')
          .select(['id', `${column} as value`])
          .where('id', 'in', ids.slice(at, at + WINDOW));
        places.push(...(await execute(connection, query)).rows);
        await setImmediate();
      }
      return places
        .filter((place) => after === null || compareIn(order, place, after) > 0)
        .sort((one, other) => compareIn(order, one, other))
        .slice(0, limit);
    },
  };
}
