import type { Kysely, SelectQueryBuilder } from 'kysely';
import { sql } from 'kysely';
import type { KeyRef, License, LicenseFilter, LicenseRef } from '../../../domain/license.ts';
import type { Keyring } from '../../keys/keyring.ts';
import { ACTIVATIONS_AT_ONCE, type LicenseRow, type Page, type Transaction } from '../../store.ts';
import { resealLicenses } from '../keys/reseal.ts';
import { type Asked, askedOf, pageOf } from '../pages.ts';
import { totalQuery } from '../reports/record-counts.ts';
import {
  ACTIVATION_COLUMNS,
  LICENSE_COLUMNS,
  type LicenseColumns,
  toActivation,
  toLicense,
  toLicenses,
  withKey,
} from '../rows.ts';
import type { Schema } from '../schema.ts';
import { type Connection, execute, prepare } from '../statement.ts';
import { hashOfRef, type KeyColumns, keyColumnsOf, takenHashesQuery } from './key-hashes.ts';
import { fillKeySuffixesOf } from './key-suffix.ts';
import { type Lowered, licenseSearchOf } from './license-search.ts';

/** What an update finds as it was read, or else changes nothing: the audit trail tells what was there before. */
const GUARDED = [
  ['orderId', 'order_id'],
  ['userId', 'user_id'],
  ['expiresAt', 'expires_at'],
  ['validFor', 'valid_for'],
  ['status', 'status'],
  ['activationsLimit', 'activations_limit'],
] as const;

export function licenseQueries(db: Kysely<Schema>, keyring: Keyring, lowered: Lowered) {
  const ofHash = (p: { hash: Uint8Array }) =>
    db.selectFrom('licenses').select(LICENSE_COLUMNS).where('key_hash', '=', p.hash);
  const byHash = prepare(ofHash);
  const byId = prepare((p: { id: number }) =>
    db.selectFrom('licenses').select(LICENSE_COLUMNS).where('id', '=', p.id),
  );
  const byHashWithNext = prepare(ofHash, { withNext: true });
  // Apart from the license, whose columns a join would repeat for each of them, and asked for at once: SQLite answers both
  // in one go. PostgreSQL, where each would be a way to the server, has a query of its own.
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
  const insert = prepare((p: Omit<LicenseRow, 'key'> & KeyColumns) =>
    db
      .insertInto('licenses')
      .values({
        key_hash: p.key_hash,
        sealed_key: p.sealed_key,
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
        ending_hash: p.ending_hash,
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
  const remove = prepare((p: { id: number; hash: Uint8Array; productId: number | null }) =>
    db
      .deleteFrom('licenses')
      .where('id', '=', p.id)
      .where('key_hash', '=', p.hash)
      .where('product_id', 'is not distinct from', p.productId),
  );

  const totalOfAll = totalQuery(db, 'licenses');
  const newest = prepare((p: { upTo: number; limit: number }) =>
    db
      .selectFrom('licenses')
      .select(LICENSE_COLUMNS)
      .where('id', '<=', p.upTo)
      .orderBy('id', 'desc')
      .limit(p.limit),
  );
  // The ids first: where a filter wants sorting, or records are passed over, indexes answer it without reading them.
  const withIds = (ids: SelectQueryBuilder<Schema, 'licenses', { id: number }>) =>
    db.selectFrom('licenses').select(LICENSE_COLUMNS).where('id', 'in', ids).orderBy('id', 'desc');
  /** A page of all by its number, reached from the end that is nearer. */
  const byNumber = (connection: Connection, { offset, limit }: Page, total: number) => {
    const older = total - offset - limit;
    const ids = db.selectFrom('licenses').select('licenses.id');
    // Not prepared: PostgreSQL, which has to know how few are wanted, would read the whole table.
    return execute(
      connection,
      older < offset
        ? withIds(
            ids
              .orderBy('id')
              .limit(limit + Math.min(0, older))
              .offset(Math.max(0, older)),
          )
        : withIds(ids.orderBy('id', 'desc').limit(limit).offset(offset)),
    );
  };

  const reseal = resealLicenses(db, keyring);
  const fillKeySuffixes = fillKeySuffixesOf(db, keyring);
  const search = licenseSearchOf(db, keyring, lowered);
  const hashOf = (ref: KeyRef) => hashOfRef(ref, keyring);
  const rowOf = async (connection: Connection, ref: LicenseRef) => {
    if ('id' in ref) return (await byId(connection, ref)).rows[0];
    const hash = hashOf(ref);
    return hash && (await byHash(connection, { hash })).rows[0];
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

  const totalOf = async (connection: Connection, filter: LicenseFilter): Promise<number> => {
    const counting = filtered(filter).select((eb) => eb.fn.countAll<number>().as('total'));
    return (await execute(connection, counting)).rows[0]?.total ?? 0;
  };
  const pageOfSome = (connection: Connection, filter: LicenseFilter, { upTo, limit, offset }: Asked) => {
    const ids = filtered(filter).select('licenses.id').where('id', '<=', upTo).orderBy('id', 'desc');
    return execute(connection, withIds(ids.limit(limit).offset(offset)));
  };
  const opened = (rows: readonly LicenseColumns[]): License[] => toLicenses(rows, keyring);

  return (connection: Connection): Transaction['licenses'] => ({
    async find(ref) {
      const row = await rowOf(connection, ref);
      return row ? toLicense(row, keyring) : null;
    },
    async findWithActivations(ref) {
      const hash = hashOf(ref);
      if (!hash) return null;
      const [licenses, activations] = await Promise.all([
        byHashWithNext(connection, { hash }),
        activationsOf(connection, { hash }),
      ]);
      const license = licenses.rows[0];
      return license
        ? { license: toLicense(license, keyring), activations: activations.rows.map(toActivation) }
        : null;
    },
    async list(filter, page) {
      const isAll = Object.values(filter).every((value) => value === undefined);
      const total = await (isAll ? totalOfAll(connection) : totalOf(connection, filter));
      const passesOver = page.before === null && page.offset > 0;
      if ((passesOver && page.offset >= total) || (total === 0 && !isAll))
        return { items: [], total, more: false };
      if (passesOver && isAll) {
        const { rows } = await byNumber(connection, page, total);
        return { items: opened(rows), total, more: page.offset + page.limit < total };
      }
      const asked = askedOf(page);
      const { rows } = await (isAll ? newest(connection, asked) : pageOfSome(connection, filter, asked));
      const { items, more } = pageOf(rows, page);
      return { items: opened(items), total, more };
    },
    async after(id, limit, filter) {
      const query = filtered(filter).select(LICENSE_COLUMNS).where('id', '>', id).orderBy('id').limit(limit);
      return opened((await execute(connection, query)).rows);
    },
    async existing(keys) {
      const byHash = new Map(keys.map((key) => [keyring.hash(key).toString('hex'), key]));
      const hashes = [...byHash.keys()].map((hex) => Buffer.from(hex, 'hex'));
      const taken = await takenHashes(connection, hashes);
      return new Set([...taken].map((hex) => byHash.get(hex) as string));
    },
    hashOf: (key) => keyring.hash(key).toString('hex'),

    async insert({ key, ...row }) {
      const values = { ...row, ...keyColumnsOf(key, keyring) };
      const id = (await insert(connection, values)).rows[0]?.id as number;
      return { ...row, id, key, timesActivated: 0, updatedAt: null, updatedBy: null };
    },
    async update(license, changes) {
      const { key } = changes;
      const columns = {
        ...(key !== undefined && keyColumnsOf(key, keyring)),
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
      let query = db
        .updateTable('licenses')
        // Kysely leaves out what is undefined.
        .set(columns as never)
        .where('id', '=', license.id)
        .where('key_hash', '=', keyring.hash(license.key))
        .where('product_id', 'is not distinct from', license.productId)
        .returning(LICENSE_COLUMNS);
      for (const [name, column] of GUARDED) {
        if (changes[name] !== undefined) query = query.where(column, 'is not distinct from', license[name]);
      }
      const row = (await execute(connection, query)).rows[0];
      return row ? withKey(row, key ?? license.key) : null;
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
    reseal: (keyId, after, atMost) => reseal(connection, keyId, after, atMost),
    fillKeySuffixes: (after, atMost) => fillKeySuffixes(connection, after, atMost),
    search: (filter, page) => search(connection, filter, page),
  });
}
