import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Datetime } from '../../../domain/datetime.ts';
import type { Event, NewEvent } from '../../../domain/events/event.ts';
import { camelCased } from '../../../domain/names.ts';
import {
  ALL_TYPES,
  type EventReads,
  type EventWrites,
  type Products,
  type UnplacedEvent,
} from '../../events/events.ts';
import { asciiJson, parseJson, type RowOf, rowsQuery } from '../record.ts';
import { type Connection, type Database, execute, prepare } from '../statement.ts';

const UID_BYTES = 16;
const newUid = (): string => randomBytes(UID_BYTES).toString('hex');

/** The columns of an event, for queries that join it to other tables. */
export const EVENT_COLUMNS = [
  'events.id',
  'events.uid',
  'events.type',
  'events.at',
  'events.object',
  'events.object_id',
  'events.product_ids',
  'events.data',
  'events.previous',
  'events.endpoint_id',
] as const;
type EventColumns = Omit<RowOf<'events'>, 'once' | 'placed'>;

const toUnplaced = ({ uid: _, ...row }: EventColumns): UnplacedEvent => ({
  ...camelCased(row),
  productIds: parseJson(row.product_ids),
});
export const toEvent = (row: EventColumns): Event => ({
  ...toUnplaced(row),
  uid: row.uid ?? '',
  data: row.data ?? '{}',
});

/** Whether an actor limited to these products sees an event. `product_ids` is a JSON list without spaces. */
export function isSeen(products: Products) {
  if (products === null) return sql<boolean>`1 = 1`;
  const patterns = sql.join(products.map((id) => sql`(${`%,${id},%`})`));
  return sql<boolean>`(events.endpoint_id is not null or exists (
    select 1 from (values ${patterns}) as own
    where replace(replace(product_ids, '[', ','), ']', ',') like own.column1
  ))`;
}

const jsonOf = (values: object | null | undefined): string | null => (values ? asciiJson(values) : null);

const COLUMNS = [
  ...(['uid', 'type', 'at', 'object', 'object_id', 'product_ids', 'data', 'previous', 'once'] as const),
  ...(['endpoint_id', 'placed'] as const),
];
type EventRow = Omit<RowOf<'events'>, 'id'>;

function rowOf(made: NewEvent, at: Datetime): EventRow {
  const { type, object, objectId, productIds, data, previous, once, endpointId } = made;
  return {
    uid: data ? newUid() : null,
    type,
    at,
    object,
    object_id: objectId,
    product_ids: productIds && JSON.stringify(productIds),
    data: jsonOf(data),
    previous: jsonOf(previous),
    once: once ?? null,
    endpoint_id: endpointId ?? null,
    placed: 0,
  };
}

export function eventQueries(db: Database) {
  const wanted = prepare(() =>
    db.selectFrom('event_endpoints').select('types').where('state', '!=', 'disabled'),
  );
  const unplaced = prepare((p: { limit: number }) =>
    db
      .selectFrom('events')
      .select(EVENT_COLUMNS)
      .where('placed', '=', sql.lit(0))
      .orderBy('id')
      .limit(p.limit),
  );
  const after = (p: { endpointId: number; seq: number; limit: number }) =>
    db
      .selectFrom('event_deliveries')
      .innerJoin('events', 'events.id', 'event_deliveries.event_id')
      .select(['event_deliveries.seq', ...EVENT_COLUMNS])
      .where('event_deliveries.endpoint_id', '=', p.endpointId)
      .where('seq', '>', p.seq)
      .orderBy('seq')
      .limit(p.limit);
  const allAfter = prepare(after);
  const insertOnce = prepare(
    (row: EventRow) =>
      db
        .insertInto('events')
        .values(Object.fromEntries(COLUMNS.map((name) => [name, row[name]])) as never)
        .onConflict((c) => c.column('once').where('once', 'is not', null).doNothing()),
    { last: true },
  );
  const insertRows = rowsQuery(db, 'events', COLUMNS, { last: true });
  const ofBatch = (batch: string, at: string) =>
    db
      .selectFrom('staged_licenses')
      .innerJoin('licenses', 'licenses.key_hash', 'staged_licenses.key_hash')
      .select(['licenses.id'])
      .select(sql<EventRow['type']>`'license.created'`.as('type'))
      .select(sql<string>`${at}`.as('at'))
      .select([sql<EventRow['object']>`'license'`.as('object'), sql<number>`0`.as('placed')])
      .select(sql<string | null>`'[' || cast(licenses.product_id as text) || ']'`.as('product_ids'))
      .where('batch', '=', batch)
      // A license that existed before the batch has other bytes.
      .whereRef('licenses.sealed_key', '=', 'staged_licenses.sealed_key')
      .orderBy('row');

  return (connection: Connection): EventReads & EventWrites => ({
    areUnplaced: async () => (await unplaced(connection, { limit: 1 })).rows.length > 0,
    async after(endpointId, seq, limit, products) {
      const asked = { endpointId, seq, limit };
      const { rows } =
        products === null
          ? await allAfter(connection, asked)
          : await execute(connection, after(asked).where(isSeen(products)));
      return rows.map(({ seq, ...event }) => ({ seq, event: toEvent(event) }));
    },
    async wanted() {
      const { rows } = await wanted(connection, {});
      return new Set(rows.flatMap(({ types }) => (types === null ? [ALL_TYPES] : parseJson(types))));
    },
    async insert(made, at) {
      const rows = made.map((event) => rowOf(event, at));
      const plain = rows.filter(({ once }) => once === null);
      await Promise.all([
        insertRows(
          connection,
          plain.map((row) => COLUMNS.map((name) => row[name])),
        ),
        ...rows.filter(({ once }) => once !== null).map((row) => insertOnce(connection, row)),
      ]);
    },
    async insertBatch(batch, at) {
      const query = db
        .insertInto('events')
        .columns(['object_id', 'type', 'at', 'object', 'placed', 'product_ids'])
        .expression(ofBatch(batch, at));
      await execute(connection, query, { slow: true });
    },
    // SQLite has one writer at a time.
    lock: async () => {},
    async unplaced(limit) {
      return (await unplaced(connection, { limit })).rows.map(toUnplaced);
    },
    async place(made) {
      const whole = made.filter(({ data }) => data === null).map(({ id }) => id);
      if (whole.length > 0)
        await execute(connection, db.updateTable('events').set({ placed: 1 }).where('id', 'in', whole));
      for (const { id, data } of made) {
        if (data === null) continue;
        const values = { placed: 1, uid: newUid(), data: asciiJson(data) };
        await execute(connection, db.updateTable('events').set(values).where('id', '=', id));
      }
    },
    async drop(ids) {
      if (ids.length > 0) await execute(connection, db.deleteFrom('events').where('id', 'in', ids));
    },
    async free(once) {
      await execute(connection, db.updateTable('events').set({ once: null }).where('once', '=', once));
    },
    async wasTold(once, since) {
      const query = db.selectFrom('events').select('id').where('once', 'in', once).where('at', '>', since);
      return (await execute(connection, query)).rows.length > 0;
    },
    async discard(before, now, atMost) {
      // The oldest by id: `at` has no index. Skips events from when the clock was ahead, as `discard` in deliveries.ts does.
      const past = db.selectFrom('events').select(['id', 'at']).where('at', '<=', now);
      const oldest = past.orderBy('id').limit(atMost).as('oldest');
      const old = db.selectFrom(oldest).select('id').where('at', '<', before);
      return (await execute(connection, db.deleteFrom('events').where('id', 'in', old))).affected;
    },
  });
}
