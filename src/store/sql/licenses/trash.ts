import { sql } from 'kysely';
import type { Datetime } from '../../../domain/datetime.ts';
import type { License, TrashedLicense } from '../../../domain/licenses/license.ts';
import { isTokenIndex, type Keyring } from '../../keys/keyring.ts';
import type { Transaction } from '../../store.ts';
import { countRows, first } from '../record.ts';
import { ACTIVATION_NAMES, LICENSE_NAMES, toLicense } from '../rows.ts';
import { type Connection, type Database, execute, type SqlEngine } from '../statement.ts';
import { belongingsOf } from './belongings.ts';
import { hashesOfKey } from './key-hashes.ts';

const SHOWN = LICENSE_NAMES.filter((name) => name !== 'id');
const LICENSE = [...SHOWN, 'ending_hash', 'leased_until'] as const;
const ACTIVATION = [...ACTIVATION_NAMES, 'binding', 'leased_until'] as const;

/** A time with the type of a column: in a select list, PostgreSQL would not give a parameter this type. */
const likeColumn = (column: string, at: Datetime) =>
  sql<string>`case when ${sql.ref(column)} is null then ${sql.ref(column)} else ${at} end`;

/** Moves rows to the trash. */
export function trashing(db: Database) {
  const belongings = belongingsOf(db);
  return {
    async activations(connection: Connection, ids: readonly number[], now: Datetime): Promise<void> {
      const rows = db
        .selectFrom('activations')
        .select(ACTIVATION)
        .select(likeColumn('created_at', now).as('deleted_at'))
        .where('id', 'in', ids);
      const insert = db.insertInto('trashed_activations').columns([...ACTIVATION, 'deleted_at']);
      await execute(connection, insert.expression(rows));
      await execute(connection, db.deleteFrom('activations').where('id', 'in', ids));
    },
    /**
     * Moves a license without activations to the trash. The caller has locked it.
     * @returns false if it is gone, has another key or product, or was activated meanwhile
     */
    async license(
      connection: Connection,
      { id, productId }: License,
      hashes: readonly Uint8Array[],
      by: number,
      now: Datetime,
    ): Promise<boolean> {
      const kept = await belongings.take(connection, id);
      const row = db
        .selectFrom('licenses')
        .select(['id', ...LICENSE])
        .select([
          likeColumn('created_at', now).as('deleted_at'),
          sql<number>`cast(${by} as bigint)`.as('deleted_by'),
          sql<string>`cast(${kept} as text)`.as('belongings'),
        ])
        .where('id', '=', id)
        .where('key_hash', 'in', hashes)
        .where('product_id', 'is not distinct from', productId)
        .where(({ exists, not }) =>
          not(exists(db.selectFrom('activations').select('id').where('license_id', '=', id))),
        );
      const columns = ['license_id', ...LICENSE, 'deleted_at', 'deleted_by', 'belongings'] as const;
      const insert = db.insertInto('trashed_licenses').columns(columns).expression(row);
      if ((await execute(connection, insert)).affected !== 1) return false;
      return (await execute(connection, db.deleteFrom('licenses').where('id', '=', id))).affected === 1;
    },
  };
}

export function trashQueries(
  { db, lockRows }: SqlEngine,
  keyring: Keyring,
  licenses: (connection: Connection) => Pick<Transaction['licenses'], 'freeSeat'>,
) {
  const belongings = belongingsOf(db);
  const select = () =>
    db.selectFrom('trashed_licenses').select(SHOWN).select(['id as place', 'license_id as id', 'deleted_at']);
  type Row = { deleted_at: string } & Parameters<typeof toLicense>[0];
  const trashed = (row: Row): TrashedLicense => ({
    ...toLicense(row, keyring),
    deletedAt: row.deleted_at,
  });
  const activationsOf = (licenseId: number) =>
    db.selectFrom('trashed_activations').where('license_id', '=', licenseId);

  /** Deleted licenses that an unfinished restore has put back: all their seats are taken already. */
  const halfRestored = () =>
    db
      .selectFrom('trashed_licenses as half')
      .innerJoin('licenses', (join) =>
        join
          .onRef('licenses.id', '=', 'half.license_id')
          .onRef('licenses.created_at', '=', 'half.created_at'),
      )
      .select('half.license_id');

  async function isTaken(connection: Connection, { key }: TrashedLicense): Promise<boolean> {
    const { index, hash } = hashesOfKey(key, keyring);
    const other = db.selectFrom('licenses').select('id').where('key_hash', 'in', [index, hash]);
    return (await execute(connection, other)).rows.length > 0;
  }

  async function restoreLicense(
    connection: Connection,
    { id }: TrashedLicense,
    by: number,
    now: Datetime,
  ): Promise<void> {
    const held = activationsOf(id).where('deactivated_at', 'is', null);
    const seats = await countRows(connection, held);
    const row = db
      .selectFrom('trashed_licenses')
      .select(['license_id', ...LICENSE])
      .where('license_id', '=', id);
    await execute(
      connection,
      db
        .insertInto('licenses')
        .columns(['id', ...LICENSE])
        .expression(row),
    );
    const take = db
      .updateTable('licenses')
      .set((eb) => ({
        times_activated: eb('times_activated', '+', seats),
        // The deletion has revoked the leases from before.
        updated_at: now,
        updated_by: by,
      }))
      .where('id', '=', id);
    await execute(connection, take);
    const kept = db.selectFrom('trashed_licenses').select('belongings').where('license_id', '=', id);
    await belongings.give(connection, id, (await execute(connection, kept)).rows[0]?.belongings ?? null);
  }

  /**
   * Ends valid activations in the trash whose device has a newer one, which it made between two steps of the deletion or
   * the restore.
   * @param rows newest first
   */
  async function endOlder(
    connection: Connection,
    licenseId: number,
    rows: readonly { id: number; device: string | null; deactivated_at: string | null }[],
    now: Datetime,
  ): Promise<void> {
    const valid = rows.filter((row) => row.deactivated_at === null && row.device !== null);
    if (valid.length === 0) return;
    const devices = valid.map(({ device }) => device);
    const query = db
      .selectFrom('activations')
      .select('device')
      .where('license_id', '=', licenseId)
      .where('device', 'in', devices)
      .where('deactivated_at', 'is', null);
    const held = new Set((await execute(connection, query)).rows.map(({ device }) => device));
    const older: number[] = [];
    for (const { id, device } of valid) {
      if (held.has(device)) older.push(id);
      held.add(device);
    }
    if (older.length === 0) return;
    const end = db.updateTable('trashed_activations').set({ deactivated_at: now, updated_at: now });
    await execute(connection, end.where('id', 'in', older));
    await licenses(connection).freeSeat(licenseId, older.length);
  }

  /** Restores activations of a license, newest first. @returns how many */
  async function restoreActivations(
    connection: Connection,
    id: number,
    atMost: number,
    now: Datetime,
  ): Promise<number> {
    const some = activationsOf(id)
      .select(['id', 'token', 'device', 'deactivated_at'])
      .orderBy('id', 'desc')
      .limit(atMost);
    const { rows } = await execute(connection, some);
    if (rows.length === 0) return 0;
    await endOlder(connection, id, rows, now);
    const ids = rows.map((row) => row.id);
    const back = db.selectFrom('trashed_activations').select(ACTIVATION).where('id', 'in', ids);
    await execute(connection, db.insertInto('activations').columns(ACTIVATION).expression(back));
    await execute(connection, db.deleteFrom('trashed_activations').where('id', 'in', ids));
    const tokens = rows.map(({ token }) => (isTokenIndex(token) ? token : keyring.tokenIndex(token)));
    await execute(connection, db.deleteFrom('deleted_activations').where('token', 'in', tokens));
    return rows.length;
  }

  /** Deletes records of downloads of licenses; not those of a license that exists again. @returns how many */
  async function removeDownloads(
    connection: Connection,
    licenseIds: readonly number[],
    atMost: number,
  ): Promise<number> {
    const existing = db.selectFrom('licenses').select('id').where('id', 'in', licenseIds);
    const some = db
      .selectFrom('downloads')
      .select('id')
      .where('license_id', 'in', licenseIds)
      .where('license_id', 'not in', existing)
      .limit(atMost);
    return (await execute(connection, db.deleteFrom('downloads').where('id', 'in', some))).affected;
  }

  return (connection: Connection): Transaction['trash'] => ({
    async list(before, limit, key) {
      let filtered = db.selectFrom('trashed_licenses');
      if (key !== null) {
        const { index, hash } = hashesOfKey(key, keyring);
        filtered = filtered.where('key_hash', 'in', [index, hash]);
      }
      const total = await countRows(connection, filtered);
      // Not by `id`, which would be the id of the license: the names of results come first.
      let page = select()
        .orderBy('place', 'desc')
        .limit(limit + 1);
      if (key !== null) page = page.where('id', 'in', filtered.select('id'));
      if (before !== null) page = page.where('id', '<', before);
      const { rows } = await execute(connection, page);
      const items = rows.slice(0, limit);
      const next = rows.length > limit ? (items.at(-1)?.place ?? null) : null;
      return { items: items.map(trashed), next, total };
    },
    find: async (licenseId) =>
      first((await execute(connection, select().where('license_id', '=', licenseId))).rows, trashed),
    halfRestored: async (limit) =>
      (await execute(connection, halfRestored().limit(limit))).rows.map(({ license_id }) => license_id),
    async restore(license, atMost, by, now) {
      const { id } = license;
      const lock = sql`select id from trashed_licenses where license_id = ${id} ${lockRows}`;
      await execute(connection, lock.compile(db));
      const byId = db.selectFrom('licenses').select(LICENSE_NAMES).where('id', '=', id);
      // Every activation changes the row: with the lock, none comes between.
      const [there] = (await execute(connection, byId.modifyEnd(lockRows), { reads: false })).rows;
      // An earlier step may have restored the license already. Moves of earlier versions gave its id to another license.
      if (there && toLicense(there, keyring).createdAt !== license.createdAt) return null;
      if (!there) {
        if (await isTaken(connection, license)) return null;
        await restoreLicense(connection, license, by, now);
      }
      const activations = await restoreActivations(connection, id, atMost, now);
      const isDone = activations < atMost;
      if (isDone) await execute(connection, db.deleteFrom('trashed_licenses').where('license_id', '=', id));
      const row = (await execute(connection, byId)).rows[0];
      if (!row) throw new Error('a license that was just restored is missing');
      return { license: toLicense(row, keyring), activations, isDone };
    },
    async discard(which, atMost) {
      const some = (table: 'trashed_activations' | 'trashed_licenses', limit: number) =>
        db
          .selectFrom(table)
          .where((eb) =>
            'before' in which ? eb('deleted_at', '<', which.before) : eb('license_id', '=', which.licenseId),
          )
          .where(({ exists, not }) =>
            not(exists(halfRestored().whereRef('half.license_id', '=', sql.ref(`${table}.license_id`)))),
          )
          .limit(limit);
      const ids = some('trashed_activations', atMost).select('id');
      let { affected: gone } = await execute(
        connection,
        db.deleteFrom('trashed_activations').where('id', 'in', ids),
      );
      // Locked, so that no restore begins between the deletions of downloads and licenses.
      const due = some('trashed_licenses', atMost - gone).select(['id', 'license_id']);
      const { rows } = await execute(connection, due.modifyEnd(lockRows), { reads: false });
      if (rows.length === 0) return gone;
      const licenseIds = rows.map(({ license_id }) => license_id);
      gone += await removeDownloads(connection, licenseIds, atMost - gone);
      const places = rows.slice(0, atMost - gone).map(({ id }) => id);
      if (places.length === 0) return gone;
      const licenses = db.deleteFrom('trashed_licenses').where('id', 'in', places);
      return gone + (await execute(connection, licenses)).affected;
    },
  });
}
