import { sql } from 'kysely';
import type { Delivery, DeliveryState } from '../../../domain/events/delivery.ts';
import type { DeliveryOfEvent, DeliveryReads, DeliveryResult, DeliveryWrites } from '../../events/events.ts';
import { addingQuery, first, rowsQuery } from '../record.ts';
import { type Connection, type Database, execute, prepare } from '../statement.ts';
import { EVENT_COLUMNS, isSeen, toEvent } from './events.ts';

const DELIVERY_COLUMNS = [
  'event_deliveries.endpoint_id as endpointId',
  'seq',
  'event_id as eventId',
  'state',
  'due_at as dueAt',
  'attempts',
  'attempted_at as attemptedAt',
  'status',
  'error',
  'answer',
  'ms',
] as const;
type Row = Delivery & Parameters<typeof toEvent>[0];

/** The state is a literal in the SQL, so that a partial index can serve. */
const isIn = (state: DeliveryState) => sql<boolean>`state = ${sql.lit(state)}`;

function toDelivery(row: Row): DeliveryOfEvent {
  const { endpointId, seq, eventId, state, dueAt, attempts, attemptedAt, ...rest } = row;
  const { status, error, answer, ms, ...event } = rest;
  const place = { endpointId, seq, eventId, state, dueAt, attempts, attemptedAt };
  return { delivery: { ...place, status, error, answer, ms }, event: toEvent(event) };
}

export function deliveryQueries(db: Database) {
  const withEvent = db
    .selectFrom('event_deliveries')
    .innerJoin('events', 'events.id', 'event_deliveries.event_id')
    .select([...DELIVERY_COLUMNS, ...EVENT_COLUMNS]);
  const ofEndpoint = (endpointId: number) => withEvent.where('event_deliveries.endpoint_id', '=', endpointId);
  const due = prepare((p: { endpointId: number; now: string; limit: number }) =>
    ofEndpoint(p.endpointId)
      .where(isIn('pending'))
      .where('due_at', '<=', p.now)
      .orderBy('due_at')
      .orderBy('seq')
      .limit(p.limit),
  );
  const insert = rowsQuery(db, 'event_deliveries', [
    ...(['endpoint_id', 'seq', 'event_id', 'state', 'due_at', 'attempts'] as const),
  ]);
  const finish = prepare((p: { endpointId: number } & DeliveryResult) =>
    db
      .updateTable('event_deliveries')
      .set({
        state: p.state,
        due_at: p.dueAt,
        attempts: p.attempts,
        attempted_at: p.at,
        status: p.status,
        error: p.error,
        answer: p.answer,
        ms: p.ms,
      })
      .where('endpoint_id', '=', p.endpointId)
      .where('seq', '=', p.seq)
      .where(isIn('pending')),
  );
  const add = addingQuery(db, 'event_delivery_counts', ['endpoint_id', 'day'], ['delivered', 'failed']);
  const ofOne = (endpointId: number) =>
    db.selectFrom('event_deliveries').where('event_deliveries.endpoint_id', '=', endpointId);

  /** The next endpoint with deliveries, whether it still exists or not. */
  const nextEndpoint = async (connection: Connection, above: number): Promise<number | null> => {
    const query = db.selectFrom('event_deliveries').select('endpoint_id').where('endpoint_id', '>', above);
    const { rows } = await execute(connection, query.orderBy('endpoint_id').limit(1));
    return rows[0]?.endpoint_id ?? null;
  };

  return (connection: Connection): DeliveryReads & DeliveryWrites => ({
    due: async (endpointId, now, limit) =>
      (await due(connection, { endpointId, now, limit })).rows.map(toDelivery),
    async list(endpointId, { state, type }, { before, limit }, products) {
      let query = ofEndpoint(endpointId).where(isSeen(products));
      if (state) query = query.where(isIn(state));
      if (type) query = query.where('type', '=', type);
      if (before !== null) query = query.where('seq', '<', before);
      return (await execute(connection, query.orderBy('seq', 'desc').limit(limit))).rows.map(toDelivery);
    },
    async find(endpointId, seq, products) {
      const query = ofEndpoint(endpointId).where('seq', '=', seq).where(isSeen(products));
      return first((await execute(connection, query)).rows, toDelivery);
    },
    async oldestSeq(endpointId) {
      const query = ofOne(endpointId).select('seq').orderBy('seq').limit(1);
      return (await execute(connection, query)).rows[0]?.seq ?? null;
    },
    async backlog(endpointId, upTo) {
      const count = async (state: 'pending' | 'failed') => {
        const some = ofOne(endpointId).select('seq').where(isIn(state)).limit(upTo).as('some');
        const query = db.selectFrom(some).select((eb) => eb.fn.countAll<number>().as('count'));
        return (await execute(connection, query)).rows[0]?.count ?? 0;
      };
      const [waiting, failed] = await Promise.all([count('pending'), count('failed')]);
      return { pending: waiting, failed };
    },
    async counts(endpointId, from) {
      const query = db
        .selectFrom('event_delivery_counts')
        .select(['day', 'delivered', 'failed'])
        .where('endpoint_id', '=', endpointId)
        .where('day', '>=', from)
        .orderBy('day');
      return (await execute(connection, query)).rows;
    },
    insert: (rows) =>
      insert(
        connection,
        rows.map((row) => [row.endpointId, row.seq, row.eventId, row.state, row.dueAt, 0]),
      ),
    async finish(endpointId, results) {
      await Promise.all(results.map((result) => finish(connection, { endpointId, ...result })));
    },
    async count(endpointId, count) {
      await add(connection, { endpoint_id: endpointId, ...count });
    },
    async again(endpointId, which, dueAt, atMost, products) {
      let some = ofOne(endpointId)
        .innerJoin('events', 'events.id', 'event_deliveries.event_id')
        .select('seq')
        .where(isSeen(products))
        .where('state', 'in', ['delivered', 'failed'])
        .orderBy('seq')
        .limit(atMost);
      if (which === 'failed') some = some.where(isIn('failed'));
      else some = some.where('seq', '>=', which.from).where('seq', '<=', which.to);
      const query = db
        .updateTable('event_deliveries')
        .set({ state: 'pending', due_at: dueAt, attempts: 0 })
        .where('endpoint_id', '=', endpointId)
        .where('seq', 'in', some);
      return (await execute(connection, query)).affected;
    },
    async giveUp(endpointId, products) {
      const query = db
        .updateTable('event_deliveries')
        .set({ state: 'failed' })
        .where('endpoint_id', '=', endpointId)
        .where(isIn('pending'))
        .where(({ not, exists, selectFrom }) => {
          const event = selectFrom('events').select('id').whereRef('events.id', '=', 'event_id');
          return not(exists(event.where(isSeen(products))));
        });
      await execute(connection, query);
    },
    async hasten(endpointId, dueAt) {
      const query = db
        .updateTable('event_deliveries')
        .set({ due_at: dueAt })
        .where('endpoint_id', '=', endpointId);
      await execute(connection, query.where(isIn('pending')).where('due_at', '>', dueAt));
    },
    async discard(before, now, atMost) {
      let left = atMost;
      let id = await nextEndpoint(connection, 0);
      for (; id !== null && left > 0; id = await nextEndpoint(connection, id)) {
        const known = db.selectFrom('event_endpoints').select('id').where('id', '=', id);
        const isThere = (await execute(connection, known)).rows.length > 0;
        const oldest = ofOne(id).orderBy('seq').limit(left);
        // Events from when the clock was ahead are left out: if they filled the limit, later ones would never be deleted.
        const past = ofOne(id)
          .leftJoin('events', 'events.id', 'event_id')
          .select(['seq', 'at'])
          .where((eb) => eb.or([eb('at', 'is', null), eb('at', '<=', now)]))
          .orderBy('seq')
          .limit(left)
          .as('past');
        const old = db
          .selectFrom(past)
          .select('seq')
          .where((eb) => eb.or([eb('at', 'is', null), eb('at', '<', before)]));
        const gone = isThere ? old : oldest.select('seq');
        const query = db
          .deleteFrom('event_deliveries')
          .where('endpoint_id', '=', id)
          .where('seq', 'in', gone);
        left -= (await execute(connection, query)).affected;
      }
      return atMost - left;
    },
  });
}
