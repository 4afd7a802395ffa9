import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { License, LicenseFilter, LicenseRef } from '../../domain/license.ts';
import type { Keyring } from '../keyring.ts';
import { ACTIVATIONS_AT_ONCE, type LicenseRow, type Transaction } from '../store.ts';
import { takenHashesQuery } from './key-hashes.ts';
import { ACTIVATION_COLUMNS, LICENSE_COLUMNS, toActivation, toLicense } from './rows.ts';
import type { Schema } from './schema.ts';
import { type Connection, execute, prepare } from './statement.ts';

export function licenseQueries(db: Kysely<Schema>, keyring: Keyring) {
  const byHash = prepare((p: { hash: Uint8Array }) =>
    db.selectFrom('licenses').select(LICENSE_COLUMNS).where('key_hash', '=', p.hash),
  );
  // Apart from the license, whose columns a join would repeat for each of them; asked for at once, so that an engine may
  // answer both in one go.
  const activationsOf = prepare((p: { hash: Uint8Array }) =>
    db
      .selectFrom('activations')
      .select(ACTIVATION_COLUMNS)
      .where('license_id', '=', (eb) => eb.selectFrom('licenses').select('id').where('key_hash', '=', p.hash))
      .where('deactivated_at', 'is', null)
      .orderBy('activations.id', 'desc')
      .limit(ACTIVATIONS_AT_ONCE),
  );
  const takenHashes = takenHashesQuery(db);
  const insert = prepare((p: Omit<LicenseRow, 'key'> & { hash: Uint8Array; sealed: Uint8Array }) =>
    db
      .insertInto('licenses')
      .values({
        key_hash: p.hash,
        sealed_key: p.sealed,
        order_id: p.orderId,
        product_id: p.productId,
        user_id: p.userId,
        expires_at: p.expiresAt,
        valid_for: p.validFor,
        source: p.source,
        status: p.status,
        activations_limit: p.activationsLimit,
        created_at: p.createdAt,
        created_by: p.createdBy,
      })
      .returning('id'),
  );
  const takePlace = prepare((p: Pick<License, 'id' | 'status' | 'expiresAt'>) =>
    db
      .updateTable('licenses')
      .set((eb) => ({ times_activated: eb('times_activated', '+', 1) }))
      .where('id', '=', p.id)
      .where('status', '=', p.status)
      .where('expires_at', 'is not distinct from', p.expiresAt)
      .where((eb) =>
        eb.or([eb('activations_limit', '=', 0), eb('times_activated', '<', eb.ref('activations_limit'))]),
      )
      .returning('times_activated'),
  );
  const freePlace = prepare((p: { id: number }) =>
    db
      .updateTable('licenses')
      .set((eb) => ({ times_activated: eb('times_activated', '-', 1) }))
      .where('id', '=', p.id)
      .returning('times_activated'),
  );
  const remove = prepare(
    (p: { id: number; hash: Uint8Array; productId: number | null }) =>
      db
        .deleteFrom('licenses')
        .where('id', '=', p.id)
        .where('key_hash', '=', p.hash)
        .where('product_id', 'is not distinct from', p.productId),
    { alone: true },
  );

  /** Null for a hash that is no hash. */
  const hashOf = (ref: LicenseRef): Uint8Array | null => {
    if ('key' in ref) return keyring.hash(ref.key);
    return /^[0-9a-fA-F]{64}$/.test(ref.hash) ? Buffer.from(ref.hash, 'hex') : null;
  };

  const filtered = (filter: LicenseFilter) => {
    let query = db.selectFrom('licenses');
    const hash = filter.license && hashOf(filter.license);
    if (hash) query = query.where('key_hash', '=', hash);
    else if (filter.license) query = query.where(sql<boolean>`1 = 0`);
    if (filter.status?.length === 1) query = query.where('status', '=', filter.status[0] as number);
    else if (filter.status) query = query.where('status', 'in', filter.status);
    if (filter.orderId !== undefined) query = query.where('order_id', '=', filter.orderId);
    if (filter.productId !== undefined) query = query.where('product_id', '=', filter.productId);
    if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId);
    if (filter.source !== undefined) query = query.where('source', '=', filter.source);
    if (filter.products) query = query.where('product_id', 'in', filter.products);
    return query;
  };

  return (connection: Connection): Transaction['licenses'] => ({
    async find(ref) {
      const hash = hashOf(ref);
      const row = hash && (await byHash(connection, { hash })).rows[0];
      return row ? toLicense(row, keyring) : null;
    },
    async findWithActivations(ref) {
      const hash = hashOf(ref);
      if (!hash) return null;
      const [licenses, activations] = await Promise.all([
        byHash(connection, { hash }),
        activationsOf(connection, { hash }),
      ]);
      const license = licenses.rows[0];
      return license
        ? { license: toLicense(license, keyring), activations: activations.rows.map(toActivation) }
        : null;
    },
    async list(filter, page) {
      const counting = filtered(filter).select((eb) => eb.fn.countAll<number>().as('total'));
      const total = (await execute(connection, counting)).rows[0]?.total ?? 0;
      if (page.offset >= total) return { items: [], total };
      // The ids first: where a filter wants sorting, indexes answer it without reading the records passed over.
      const ids = filtered(filter)
        .select('licenses.id')
        .orderBy('id', 'desc')
        .limit(page.limit)
        .offset(page.offset);
      const query = db
        .selectFrom('licenses')
        .select(LICENSE_COLUMNS)
        .where('id', 'in', ids)
        .orderBy('id', 'desc');
      const { rows } = await execute(connection, query);
      return { items: rows.map((row) => toLicense(row, keyring)), total };
    },
    async after(id, limit, filter) {
      const query = filtered(filter).select(LICENSE_COLUMNS).where('id', '>', id).orderBy('id').limit(limit);
      return (await execute(connection, query)).rows.map((row) => toLicense(row, keyring));
    },
    async existing(keys) {
      const byHash = new Map(keys.map((key) => [keyring.hash(key).toString('hex'), key]));
      const hashes = [...byHash.keys()].map((hex) => Buffer.from(hex, 'hex'));
      const taken = await takenHashes(connection, hashes);
      return new Set([...taken].map((hex) => byHash.get(hex) as string));
    },
    hashOf: (key) => keyring.hash(key).toString('hex'),

    async insert({ key, ...row }) {
      const values = { ...row, hash: keyring.hash(key), sealed: keyring.seal(key) };
      const id = (await insert(connection, values)).rows[0]?.id as number;
      return { ...row, id, key, timesActivated: 0, updatedAt: null, updatedBy: null };
    },
    async update(license, changes) {
      const { key } = changes;
      const columns = {
        ...(key !== undefined && { key_hash: keyring.hash(key), sealed_key: keyring.seal(key) }),
        order_id: changes.orderId,
        product_id: changes.productId,
        user_id: changes.userId,
        expires_at: changes.expiresAt,
        valid_for: changes.validFor,
        status: changes.status,
        activations_limit: changes.activationsLimit,
        updated_at: changes.updatedAt,
        updated_by: changes.updatedBy,
      };
      const query = db
        .updateTable('licenses')
        // Kysely leaves out what is undefined.
        .set(columns as never)
        .where('id', '=', license.id)
        .where('key_hash', '=', keyring.hash(license.key))
        .where('product_id', 'is not distinct from', license.productId)
        .returning(LICENSE_COLUMNS);
      const row = (await execute(connection, query, { alone: true })).rows[0];
      return row ? toLicense(row, keyring) : null;
    },
    async delete({ id, key, productId }) {
      return (await remove(connection, { id, hash: keyring.hash(key), productId })).affected === 1;
    },
    async takePlace(license) {
      return (await takePlace(connection, license)).rows[0]?.times_activated ?? null;
    },
    async freePlace(id) {
      return (await freePlace(connection, { id })).rows[0]?.times_activated as number;
    },
  });
}
