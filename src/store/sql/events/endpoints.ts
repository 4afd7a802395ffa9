import { type ExpressionBuilder, sql } from 'kysely';
import { addSeconds, type Datetime } from '../../../domain/datetime.ts';
import { LEASE_SECONDS, noPauseEndsAfter } from '../../../domain/events/delivery.ts';
import type { EndpointSecrets, EventEndpoint } from '../../../domain/events/endpoint.ts';
import { camelCased } from '../../../domain/names.ts';
import { StoreDamaged } from '../../errors.ts';
import type { EndpointReads, EndpointWrites } from '../../events/events.ts';
import { type Keyring, UnknownSealingKey } from '../../keys/keyring.ts';
import { columnsOf, first, parseJson, type RowOf, recordQueries } from '../record.ts';
import type { Schema } from '../schema.ts';
import { type Connection, execute, prepare, type SqlEngine } from '../statement.ts';

/** The context under which the secrets are encrypted, so that they cannot be decrypted in another row. */
export const secretsContext = (id: number): string => `event endpoint ${id}`;

/**
 * The latest instant at which a lease can end: a lease that ends later was given by a clock that was ahead. Clocks of
 * nodes may differ by half of this span.
 */
const noLeaseEndsAfter = (now: Datetime): Datetime => addSeconds(now, 2 * LEASE_SECONDS) ?? now;

type Row = RowOf<'event_endpoints'>;
export const toEndpoint = ({ secrets: _s, leased_by: _b, leased_until: _u, ...row }: Row): EventEndpoint => ({
  ...camelCased(row),
  types: parseJson(row.types),
  products: parseJson(row.products),
  headerNames: parseJson(row.header_names) ?? [],
  isOrdered: row.is_ordered === 1,
});

export function endpointQueries({ db, lockRows }: SqlEngine, keyring: Keyring) {
  const select = () => db.selectFrom('event_endpoints').selectAll();
  const all = prepare(() => select().orderBy('id', 'desc'));
  const byId = prepare((p: { id: number }) => select().where('id', '=', p.id));
  /** The endpoint is not leased, or its lease has expired, or was given by a clock that was ahead. */
  const isFree = (now: string, ahead: string) => (eb: ExpressionBuilder<Schema, 'event_endpoints'>) =>
    eb.or([eb('leased_until', 'is', null), eb('leased_until', '<', now), eb('leased_until', '>', ahead)]);
  /** The endpoint is not paused, or was paused by a clock that was ahead. */
  const isAwake = (now: string, latest: string) => (eb: ExpressionBuilder<Schema, 'event_endpoints'>) =>
    eb.or([eb('paused_until', 'is', null), eb('paused_until', '<=', now), eb('paused_until', '>', latest)]);
  const dueNow = (now: string, ahead: string, latest: string) =>
    db
      .selectFrom('event_endpoints')
      .select('id')
      .where('kind', '=', 'webhook')
      .where('state', '=', 'enabled')
      .where(isAwake(now, latest))
      .where(isFree(now, ahead))
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('event_deliveries')
            .select('seq')
            .whereRef('event_deliveries.endpoint_id', '=', 'event_endpoints.id')
            .where('event_deliveries.state', '=', sql.lit('pending'))
            .where('due_at', '<=', now),
        ),
      );
  const due = prepare((p: { now: string; ahead: string; latest: string }) =>
    dueNow(p.now, p.ahead, p.latest),
  );
  const endpoints = recordQueries(db, 'event_endpoints');
  const ofHolder = (id: number, holder: string) =>
    db.updateTable('event_endpoints').where('id', '=', id).where('leased_by', '=', holder);
  const sealed = (id: number, secrets: EndpointSecrets): Buffer =>
    keyring.sealSecret(JSON.stringify(secrets), secretsContext(id));

  return (connection: Connection): EndpointReads & EndpointWrites => ({
    list: async () => (await all(connection, {})).rows.map(toEndpoint),
    find: async (id) => first((await byId(connection, { id })).rows, toEndpoint),
    async due(now) {
      const instants = { now, ahead: noLeaseEndsAfter(now), latest: noPauseEndsAfter(now) };
      return (await due(connection, instants)).rows.map(({ id }) => id);
    },
    async secrets(id) {
      const bytes = (await byId(connection, { id })).rows[0]?.secrets ?? null;
      if (bytes === null) return null;
      try {
        return JSON.parse(keyring.openSecret(bytes, secretsContext(id)));
      } catch (cause) {
        if (cause instanceof UnknownSealingKey) throw cause;
        const message = `the secrets of event endpoint ${id} were changed, or moved from another row`;
        throw new StoreDamaged(message, { cause });
      }
    },
    async insert(row, secrets) {
      const id = await endpoints.insert(connection, row);
      if (secrets) await endpoints.update(connection, id, { secrets: sealed(id, secrets) });
      return id;
    },
    async update(id, changes, secrets) {
      const columns = { ...columnsOf(changes), ...(secrets && { secrets: sealed(id, secrets) }) };
      const query = db
        .updateTable('event_endpoints')
        .set(columns as never)
        .where('id', '=', id);
      await execute(connection, query, secrets ? { secret: true } : {});
    },
    async delete(id) {
      await execute(connection, db.deleteFrom('event_delivery_counts').where('endpoint_id', '=', id));
      const query = db.deleteFrom('event_endpoints').where('id', '=', id);
      await execute(connection, query, { secret: true });
    },
    async lease(holder, now, until, except) {
      const ahead = noLeaseEndsAfter(now);
      let query = db
        .updateTable('event_endpoints')
        .set({ leased_by: holder, leased_until: until })
        .where('id', 'in', dueNow(now, ahead, noPauseEndsAfter(now)).orderBy('id').modifyEnd(lockRows))
        .where(isFree(now, ahead))
        .returning('id');
      if (except.length > 0) query = query.where('id', 'not in', [...except]);
      return (await execute(connection, query)).rows.map(({ id }) => id);
    },
    async renew(id, holder, until) {
      const query = ofHolder(id, holder).set({ leased_until: until });
      return (await execute(connection, query)).affected === 1;
    },
    async stop(id, state) {
      const query = db
        .updateTable('event_endpoints')
        .set(columnsOf(state) as never)
        .where('id', '=', id);
      await execute(connection, query.where('state', '=', 'enabled'));
    },
    async release(id, holder) {
      await execute(connection, ofHolder(id, holder).set({ leased_by: null, leased_until: null }));
    },
  });
}
