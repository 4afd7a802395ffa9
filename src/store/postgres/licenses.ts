import { UNSEEN } from '../../domain/activation.ts';
import type { License } from '../../domain/licenses/license.ts';
import type { Keyring } from '../keys/keyring.ts';
import { tokenColumnsOf } from '../sql/licenses/key-hashes.ts';
import { sealedBinding, withoutLease } from '../sql/licenses/leasing.ts';
import { type Connection, type Kind, nameOf } from '../sql/statement.ts';
import { type Transaction, UniqueViolation } from '../store.ts';
import { Retry } from './errors.ts';
import { PLACE } from './rounds.ts';

/** Throws, so that the command is retried with the license as it is now. */
export function licenseChanged(): never {
  throw new Retry('the license was changed concurrently');
}

/** Throws `Retry` if the license has changed since it was read, or is not full. */
export async function mustBeFull(licenses: Transaction['licenses'], read: License): Promise<void> {
  const now = await licenses.find({ key: read.key });
  const isAsRead = now?.id === read.id && now.status === read.status && now.expiresAt === read.expiresAt;
  if (!isAsRead || now.activationsLimit === 0 || now.timesActivated < now.activationsLimit) licenseChanged();
}

/** The parameters of `INSERT_WITH_SEAT`. */
const PARAMETERS = {
  license_id: 'bigint',
  status: 'integer',
  expires_at: 'timestamp',
  software_id: 'bigint',
  token: 'text',
  sealed_token: 'bytea',
  label: 'text',
  source: 'integer',
  ip_address: 'text',
  user_agent: 'text',
  meta: 'text',
  created_at: 'timestamp',
  device: 'text',
  seat_expires_at: 'timestamp',
  binding: 'bytea',
  leased_until: 'timestamp',
};
const NAMES = Object.keys(PARAMETERS);
const INSERTED = NAMES.filter((name) => name !== 'status' && name !== 'expires_at');
const ARRAYS = Object.values(PARAMETERS).map((type, i) => `$${i + 1}::${type}[]`);

/**
 * Takes a seat and inserts an activation in one statement, which is a transaction by itself: it saves the round trips
 * of `begin` and `commit`.
 */
const INSERT_WITH_SEAT = `
  with seat as (
    update licenses set times_activated = times_activated + 1
    where id = $1 and status = $2 and expires_at is not distinct from $3
      and (activations_limit = 0 or times_activated < activations_limit)
    returning times_activated
  ), made as (
    insert into activations (${INSERTED})
    select $1, ${INSERTED.slice(1).map((_, i) => `$${i + 4}`)} from seat
    returning id
  )
  select made.id, seat.times_activated from made, seat`;

/** Like `INSERT_WITH_SEAT`, for several licenses. Leaves out licenses that another transaction has locked. */
const INSERT_WITH_SEATS = `
  with asked as (
    select * from unnest(${ARRAYS}) with ordinality as asked(${NAMES}, ${PLACE})
  ), locked as (
    select licenses.id from licenses where id in (select license_id from asked)
    for no key update skip locked
  ), seat as (
    update licenses set times_activated = times_activated + 1
    from asked join locked on locked.id = asked.license_id
    where licenses.id = asked.license_id and licenses.status = asked.status
      and licenses.expires_at is not distinct from asked.expires_at
      and (activations_limit = 0 or times_activated < activations_limit)
    returning asked.${PLACE}, times_activated
  ), made as (
    insert into activations (${INSERTED}) select ${INSERTED} from asked join seat using (${PLACE})
    returning id, token
  )
  select made.id, seat.times_activated, seat.${PLACE}
  from seat join asked using (${PLACE}) join made using (token)`;

const KIND: Kind = {
  name: nameOf(INSERT_WITH_SEAT),
  reads: false,
  together: {
    name: nameOf(INSERT_WITH_SEATS),
    text: INSERT_WITH_SEATS,
    distinct: NAMES.indexOf('license_id'),
    rerunsEmpty: true,
  },
};

export const insertWithSeat =
  (
    connection: Connection,
    keyring: Keyring,
    licenses: Transaction['licenses'],
  ): Transaction['activations']['insertWithSeat'] =>
  async (license, row) => {
    const { token, sealed_token } = tokenColumnsOf(row.token, keyring);
    const values = [
      ...[license.id, license.status, license.expiresAt],
      ...[row.softwareId, token, sealed_token, row.label, row.source, row.ipAddress, row.userAgent],
      ...[row.meta === null ? null : JSON.stringify(row.meta), row.createdAt],
      ...[row.device ?? null, row.seatExpiresAt ?? null],
      ...[row.binding ? sealedBinding(row.binding, row.token, keyring) : null, row.leasedUntil ?? null],
    ];
    const { rows } = await connection.execute(INSERT_WITH_SEAT, values, KIND).catch((error) => {
      // The same device was activated at the same time. The command finds its seat when it runs again.
      throw error instanceof UniqueViolation ? new Retry('the device was activated concurrently') : error;
    });
    const made = (rows as { id: number; times_activated: number }[])[0];
    if (!made) {
      await mustBeFull(licenses, license);
      return null;
    }
    return {
      activation: { ...UNSEEN, ...withoutLease(row), id: made.id },
      timesActivated: made.times_activated,
    };
  };

/**
 * Ends an activation and frees its seat in one statement, for an activation without a lease. A lease may have to be
 * revoked between the two changes.
 */
const DEACTIVATE_AND_FREE_SEAT = `
  with ended as (
    update activations set deactivated_at = $3, updated_at = $3
    where id = $1 and license_id = $2 and deactivated_at is null and leased_until is null
    returning license_id
  )
  update licenses set times_activated = times_activated - 1
  from ended where licenses.id = ended.license_id
  returning times_activated`;

/**
 * Like `DEACTIVATE_AND_FREE_SEAT`, for several licenses. Leaves out an activation if another transaction has locked it or
 * its license, or if it has a lease. The caller deactivates these.
 */
const DEACTIVATE_AND_FREE_SEATS = `
  with asked as (
    select * from unnest($1::bigint[], $2::bigint[], $3::timestamp[])
      with ordinality as asked(id, license_id, now, ${PLACE})
  ), held as (
    select activations.id, activations.license_id from activations where id in (select id from asked)
    for no key update skip locked
  ), locked as (
    select licenses.id from licenses where id in (select license_id from held)
    for no key update skip locked
  ), ended as (
    update activations set deactivated_at = asked.now, updated_at = asked.now
    from asked join held on held.id = asked.id join locked on locked.id = asked.license_id
    where activations.id = asked.id and activations.license_id = asked.license_id
      and activations.deactivated_at is null and activations.leased_until is null
    returning asked.license_id, asked.${PLACE}
  )
  update licenses set times_activated = times_activated - 1
  from ended where licenses.id = ended.license_id
  returning times_activated, ended.${PLACE}`;

const DEACTIVATES: Kind = {
  name: nameOf(DEACTIVATE_AND_FREE_SEAT),
  reads: false,
  together: {
    name: nameOf(DEACTIVATE_AND_FREE_SEATS),
    text: DEACTIVATE_AND_FREE_SEATS,
    // The index of the license id.
    distinct: 1,
  },
};

/** Deactivates an activation. @param shared the shared queries, which also deactivate an activation with a lease */
export const deactivateAndFreeSeat =
  (
    connection: Connection,
    shared: Transaction['activations'],
  ): Transaction['activations']['deactivateAndFreeSeat'] =>
  async (activation, now) => {
    const { rows } = await connection.execute(
      DEACTIVATE_AND_FREE_SEAT,
      [activation.id, activation.licenseId, now],
      DEACTIVATES,
    );
    const ended = (rows as { times_activated: number }[])[0];
    return ended ? ended.times_activated : shared.deactivateAndFreeSeat(activation, now);
  };
