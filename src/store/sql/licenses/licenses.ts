import { type SelectQueryBuilder, sql } from 'kysely';
import {
  DISABLED,
  type License,
  type LicenseFilter,
  type LicenseRef,
} from '../../../domain/licenses/license.ts';
import { camelCased } from '../../../domain/names.ts';
import { TERMS_DEFAULTS } from '../../../domain/terms.ts';
import type { Keyring } from '../../keys/keyring.ts';
import { ACTIVATIONS_AT_ONCE, type Page, type Transaction, UniqueViolation } from '../../store.ts';
import { convertRows } from '../keys/conversions.ts';
import { resealRows } from '../keys/rewrite.ts';
import { pageOfRows, pageValues } from '../pages.ts';
import { columnsOf, countRows, first, laterOf } from '../record.ts';
import { totalQuery } from '../reports/record-counts.ts';
import {
  ACTIVATION_COLUMNS,
  LICENSE_COLUMNS,
  toActivation,
  toLicense,
  toLicenses,
  withKey,
} from '../rows.ts';
import type { Schema } from '../schema.ts';
import { type Connection, execute, prepare, type SqlEngine } from '../statement.ts';
import { termsText, withTermsColumn } from '../terms.ts';
import {
  hashesOfKey,
  hashesOfRef,
  insertLicenseQuery,
  inTurn,
  type KeyHashes,
  keyColumnsOf,
  ofKey,
  takenKeysQuery,
} from './key-hashes.ts';
import { licenseSearchOf } from './license-search.ts';
import { revoking } from './revocations.ts';
import { trashing } from './trash.ts';

/**
 * Columns that an update changes only if they are as they were read: the audit trail records their values before the
 * update.
 */
const GUARDED = [
  ['orderId', 'order_id'],
  ['userId', 'user_id'],
  ['customerEmail', 'customer_email'],
  ['expiresAt', 'expires_at'],
  ['validFor', 'valid_for'],
  ['status', 'status'],
  ['activationsLimit', 'activations_limit'],
] as const;

/** Keys looked up at once, by two queries: with more, one request would take all connections for look-ups of PostgreSQL. */
const KEYS_AT_ONCE = 100;

/** Conditions that many licenses may meet, the most selective first. */
const BROAD: readonly (keyof LicenseFilter)[] = ['productId', 'products', 'source', 'status'];

const namesIn = (filter: LicenseFilter) =>
  (Object.keys(filter) as (keyof LicenseFilter)[]).filter((name) => filter[name] !== undefined);

export function licenseQueries(engine: SqlEngine, keyring: Keyring) {
  const { db } = engine;
  const selected = db.selectFrom('licenses').select(LICENSE_COLUMNS);
  const byId = prepare((p: { id: number }) => selected.where('id', '=', p.id));
  const idOf = (p: KeyHashes) =>
    db.selectFrom('licenses').select('licenses.id').where(ofKey.either(p)).limit(1);
  const findByKey = inTurn((which) =>
    prepare((p: KeyHashes) => selected.where(ofKey[which](p)), { lookUp: true }),
  );
  // One statement: one round trip and one snapshot for the license and its activations.
  const withActivations = inTurn((which) =>
    prepare(
      (p: KeyHashes) =>
        db
          .selectFrom('licenses')
          .leftJoin('activations', (join) =>
            join
              .onRef('activations.license_id', '=', 'licenses.id')
              .on('activations.deactivated_at', 'is', null),
          )
          .select([...LICENSE_COLUMNS, ...ACTIVATION_COLUMNS])
          .where(ofKey[which](p))
          .orderBy('activations.id', 'desc')
          .limit(sql.lit(ACTIVATIONS_AT_ONCE)),
      { lookUp: true },
    ),
  );
  const revoke = revoking(db);
  const toTrash = trashing(db);
  const takenKeys = takenKeysQuery(db);
  const insertNew = insertLicenseQuery(db);
  const takeSeat = prepare((p: Pick<License, 'id' | 'status' | 'expiresAt'>) =>
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
  const freeSeat = prepare((p: { id: number; count: number }) =>
    db
      .updateTable('licenses')
      .set((eb) => ({ times_activated: eb('times_activated', '-', p.count) }))
      .where('id', '=', p.id)
      .returning('times_activated'),
  );
  const totalOfAll = totalQuery(db, 'licenses');
  const newest = prepare((p: { upTo: number; limit: number }) =>
    selected.where('id', '<=', p.upTo).orderBy('id', 'desc').limit(p.limit),
  );
  // The subquery finds the ids in indexes alone when rows must be sorted or skipped.
  const withIds = (ids: SelectQueryBuilder<Schema, 'licenses', { id: number }>) =>
    selected.where('id', 'in', ids).orderBy('id', 'desc');
  /** A page of all licenses by offset, reached from the nearer end. */
  const byNumber = (connection: Connection, { offset, limit }: Page, total: number) => {
    const older = total - offset - limit;
    const ids = db.selectFrom('licenses').select('licenses.id');
    // Not prepared: without knowing the limit, PostgreSQL would plan to read the whole table.
    const page = ids.orderBy('id', older < offset ? 'asc' : 'desc').limit(limit + Math.min(0, older));
    return execute(connection, withIds(page.offset(older < offset ? Math.max(0, older) : offset)));
  };
  const search = licenseSearchOf(engine, keyring);
  const rowOf = async (connection: Connection, ref: LicenseRef) => {
    if ('id' in ref) return (await byId(connection, ref)).rows[0];
    const hashes = hashesOfRef(ref, keyring);
    return hashes && (await findByKey(connection, hashes)).rows[0];
  };

  const filtered = (filter: LicenseFilter) => {
    let query = db.selectFrom('licenses');
    const hashes = filter.license && hashesOfRef(filter.license, keyring);
    if (hashes) query = query.where('licenses.id', '=', idOf(hashes));
    else if (filter.license) query = query.where(sql<boolean>`1 = 0`);
    const { status } = filter;
    if (status?.length === 1) query = query.where('status', '=', status[0] as number);
    else if (status) query = query.where('status', 'in', status);
    if (filter.orderId !== undefined) query = query.where('order_id', '=', filter.orderId);
    if (filter.productId !== undefined) query = query.where('product_id', '=', filter.productId);
    if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId);
    if (filter.source !== undefined) query = query.where('source', '=', filter.source as License['source']);
    if (filter.products) query = query.where('product_id', 'in', filter.products);
    return query;
  };

  /** The licenses that match a filter, to be counted: looks each condition in BROAD up in its own index. */
  const counted = (filter: LicenseFilter) => {
    const names = namesIn(filter);
    const [broadest, ...others] = BROAD.filter((name) => names.includes(name));
    if (broadest === undefined || names.length > others.length + 1) return filtered(filter);
    const meeting = (name: keyof LicenseFilter) => filtered({ [name]: filter[name] }).select('licenses.id');
    let some = db.selectFrom(meeting(broadest).as('some'));
    for (const other of others)
      some = some.where(({ exists, ref }) =>
        exists(meeting(other).where('licenses.id', '=', ref('some.id'))),
      );
    return some;
  };

  return (connection: Connection): Transaction['licenses'] => ({
    async find(ref) {
      const row = await rowOf(connection, ref);
      return row ? toLicense(row, keyring) : null;
    },
    async findWithActivations(ref) {
      const hashes = hashesOfRef(ref, keyring);
      const rows = hashes ? (await withActivations(connection, hashes)).rows : [];
      return first(rows, (row) => ({
        license: toLicense(row, keyring),
        activations: rows.flatMap((one) => (one.a_id === null ? [] : [toActivation(one, keyring)])),
      }));
    },
    async list(filter, page) {
      const isAll = namesIn(filter).length === 0;
      const total = await (isAll ? totalOfAll(connection) : countRows(connection, counted(filter)));
      const skips = page.before === null && page.offset > 0;
      if ((skips && page.offset >= total) || (total === 0 && !isAll))
        return { items: [], total, more: false };
      if (skips && isAll) {
        const { rows } = await byNumber(connection, page, total);
        return { items: toLicenses(rows, keyring), total, more: page.offset + page.limit < total };
      }
      const values = pageValues(page);
      const ids = () =>
        filtered(filter)
          .select('licenses.id')
          .where('id', '<=', values.upTo)
          .orderBy('id', 'desc')
          .limit(values.limit)
          .offset(values.offset);
      const { rows } = await (isAll ? newest(connection, values) : execute(connection, withIds(ids())));
      const { items, more } = pageOfRows(rows, page);
      return { items: toLicenses(items, keyring), total, more };
    },
    async after(id, limit, filter) {
      const query = filtered(filter).select(LICENSE_COLUMNS).where('id', '>', id).orderBy('id').limit(limit);
      return toLicenses((await execute(connection, query)).rows, keyring);
    },
    async existing(keys) {
      const found = new Set<string>();
      for (let from = 0; from < keys.length; from += KEYS_AT_ONCE) {
        const some = keys.slice(from, from + KEYS_AT_ONCE);
        const hashes = some.map((key) => hashesOfKey(key, keyring));
        const isTaken = await takenKeys(connection, hashes);
        for (const [i, key] of some.entries()) if (isTaken(hashes[i] as KeyHashes)) found.add(key);
      }
      return found;
    },
    hashOf: (key) => keyring.hash(key).toString('hex'),

    async insert({ key, ...row }) {
      const hashes = hashesOfKey(key, keyring);
      const license = { customerEmail: null, ...TERMS_DEFAULTS, ...row };
      const ofKey = camelCased(keyColumnsOf(key, keyring, hashes));
      const values = { ...license, ...ofKey, seatPolicy: termsText(license), hash: hashes.hash };
      const id = (await insertNew(connection, values)).rows[0]?.id;
      if (id === undefined) throw new UniqueViolation('a license has this key');
      return { ...license, id, key, timesActivated: 0, updatedAt: null, updatedBy: null };
    },
    async update(license, { key: sent, ...changes }) {
      // Clients send whole records back. An unchanged key is not encrypted again: an import finds its row by the encrypted bytes.
      const key = sent === license.key ? undefined : sent;
      const changed = withTermsColumn(changes, license);
      const columns = columnsOf({ ...changed, ...(key !== undefined && keyColumnsOf(key, keyring)) });
      const other = key === undefined ? undefined : await rowOf(connection, { key });
      if (other && other.id !== license.id) throw new UniqueViolation('another license has this key');
      const { index, hash } = hashesOfKey(license.key, keyring);
      let query = db
        .updateTable('licenses')
        .set(columns)
        .where('id', '=', license.id)
        .where('key_hash', 'in', [index, hash])
        .where('product_id', 'is not distinct from', license.productId)
        .returning(LICENSE_COLUMNS);
      for (const [name, column] of GUARDED) {
        if (changes[name] !== undefined) query = query.where(column, 'is not distinct from', license[name]);
      }
      if ('seatPolicy' in changed)
        query = query.where('seat_policy', 'is not distinct from', termsText(license));
      const row = (await execute(connection, query)).rows[0];
      if (!row) return null;
      if (changes.status === DISABLED && license.status !== DISABLED)
        await revoke.licenses(connection, [license.id], row.updated_at as string);
      return withKey(row, key ?? license.key);
    },
    async lock(ids) {
      const query = db.selectFrom('licenses').select('id').where('id', 'in', ids).orderBy('id');
      await execute(connection, query.modifyEnd(engine.lockRows), { reads: false });
    },
    delete(license, by, now) {
      const { index, hash } = hashesOfKey(license.key, keyring);
      return toTrash.license(connection, license, [index, hash], by, now);
    },
    async takeSeat(license) {
      return (await takeSeat(connection, license)).rows[0]?.times_activated ?? null;
    },
    async noteLease(id, until) {
      const query = db
        .updateTable('licenses')
        .set({ leased_until: laterOf('leased_until', until) })
        .where('id', '=', id)
        .where('status', '!=', DISABLED);
      return (await execute(connection, query)).affected === 1;
    },
    async freeSeat(id, count = 1) {
      return (await freeSeat(connection, { id, count })).rows[0]?.times_activated as number;
    },
    async reseal(table, keyId, after, atMost) {
      const limits = { keyId, atMost };
      const done = await resealRows(connection, engine, keyring, table, ['id'], [after], limits);
      return { ...done, next: (done.next?.id as number | undefined) ?? null };
    },
    convert: (conversion, after, atMost) =>
      convertRows(connection, engine, keyring, conversion, after, atMost),
    search: (filter, page) => search(connection, filter, page),
  });
}
