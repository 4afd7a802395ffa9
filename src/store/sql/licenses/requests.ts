import type { Keyring } from '../../keys/keyring.ts';
import type { RequestWrites } from '../../store.ts';
import type { Database } from '../schema.ts';
import { type Connection, execute } from '../statement.ts';

export function requestQueries(db: Database, keyring: Keyring) {
  // Fingerprints and labels of devices have other prefixes.
  const hashOf = (licenseId: number, key: string) => keyring.deviceTag(licenseId, `k${key}`);

  return (connection: Connection): RequestWrites => ({
    async begin(licenseId, { key, digest }, before, now) {
      const named = { license_id: licenseId, key_hash: hashOf(licenseId, key) };
      const begun = {
        ...{ activation_id: null, is_new: 0, created_at: now },
        request_hash: keyring.deviceTag(licenseId, `r${digest}`),
      };
      const insert = db.insertInto('idempotency_keys').values({ ...named, ...begun });
      // Waits for another transaction with the same key.
      const unlessKnown = insert
        .onConflict((c) =>
          c
            .columns(['license_id', 'key_hash'])
            .doUpdateSet(begun)
            .where('idempotency_keys.created_at', '<=', before),
        )
        .returning('license_id');
      if ((await execute(connection, unlessKnown)).rows.length > 0) return null;
      const query = db
        .selectFrom('idempotency_keys')
        .selectAll()
        .where('license_id', '=', licenseId)
        .where('key_hash', '=', named.key_hash);
      const earlier = (await execute(connection, query)).rows[0];
      if (!earlier) return null;
      return {
        isSame: earlier.request_hash === begun.request_hash,
        activationId: earlier.activation_id ?? 0,
        isNew: earlier.is_new === 1,
      };
    },
    async end(licenseId, key, activationId, isNew) {
      const query = db
        .updateTable('idempotency_keys')
        .set({ activation_id: activationId, is_new: isNew ? 1 : 0 })
        .where('license_id', '=', licenseId)
        .where('key_hash', '=', hashOf(licenseId, key));
      await execute(connection, query);
    },
    async discard(before, atMost) {
      const old = db
        .selectFrom('idempotency_keys')
        .select(['license_id', 'key_hash'])
        .where('created_at', '<=', before)
        .orderBy('created_at')
        .limit(atMost);
      const query = db
        .deleteFrom('idempotency_keys')
        .where(({ eb, refTuple }) =>
          eb(refTuple('license_id', 'key_hash'), 'in', old.$asTuple('license_id', 'key_hash')),
        )
        .where('created_at', '<=', before);
      return (await execute(connection, query, { alone: true })).affected;
    },
  });
}
