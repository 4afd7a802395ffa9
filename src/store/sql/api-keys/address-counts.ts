import type { Kysely } from 'kysely';
import type { AddressCountRow, Transaction } from '../../store.ts';
import type { Schema } from '../schema.ts';
import { type Connection, prepare } from '../statement.ts';

export function addressCountQueries(db: Kysely<Schema>) {
  const since = prepare((p: { id: number; from: string }) =>
    db
      .selectFrom('address_counts')
      .select(['hour', 'addresses', 'warned'])
      .where('api_key_id', '=', p.id)
      .where('hour', '>=', p.from)
      .orderBy('hour'),
  );
  const find = prepare((p: { id: number; hour: string }) =>
    db
      .selectFrom('address_counts')
      .select('registers')
      .where('api_key_id', '=', p.id)
      .where('hour', '=', p.hour),
  );
  const put = prepare((p: Omit<AddressCountRow, 'warned'> & { warned: number }) =>
    db
      .insertInto('address_counts')
      .values({
        api_key_id: p.apiKeyId,
        hour: p.hour,
        registers: p.registers,
        addresses: p.addresses,
        warned: p.warned,
      })
      .onConflict((c) =>
        c.columns(['api_key_id', 'hour']).doUpdateSet((eb) => ({
          registers: eb.ref('excluded.registers'),
          addresses: eb.ref('excluded.addresses'),
          warned: eb
            .case()
            .when('excluded.warned', '=', 1)
            .then(eb.ref('excluded.warned'))
            .else(eb.ref('address_counts.warned'))
            .end(),
        })),
      ),
  );
  const forget = prepare((p: { id: number; before: string }) =>
    db.deleteFrom('address_counts').where('api_key_id', '=', p.id).where('hour', '<', p.before),
  );

  return (connection: Connection): Transaction['addressCounts'] => ({
    since: async (id, from) =>
      (await since(connection, { id, from })).rows.map((row) => ({ ...row, warned: row.warned === 1 })),
    find: async (id, hour) => (await find(connection, { id, hour })).rows[0]?.registers ?? null,
    async put({ warned, ...row }) {
      await put(connection, { ...row, warned: warned ? 1 : 0 });
    },
    async forget(id, before) {
      await forget(connection, { id, before });
    },
  });
}
