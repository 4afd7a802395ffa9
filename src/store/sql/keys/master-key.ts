import { sql } from 'kysely';
import { type Keyring, UnknownSealingKey } from '../../keys/keyring.ts';
import type { NewRotation, Rotation, Transaction } from '../../store.ts';
import { secretsContext } from '../events/endpoints.ts';
import { FINGERPRINT, metaOf, setMeta } from '../meta.ts';
import { hasNoLicenses } from '../moving/moving.ts';
import { totpContext } from '../people/users.ts';
import { countRows } from '../record.ts';
import { type Connection, type Database, execute } from '../statement.ts';
import { bundleName, RETIRED, ROTATION, retiredIn, rotationIn } from './key-bundles.ts';
import { SEALED } from './rewrite.ts';
import { privateHalfContext } from './signing-keys.ts';

/** The columns with secrets, and the contexts that their values are encrypted under, by the primary key of the row. */
const SECRETS: readonly { table: string; column: string; key: string; contextOf(key: never): string }[] = [
  { table: 'users', column: 'totp_secret', key: 'id', contextOf: totpContext },
  { table: 'users', column: 'totp_pending', key: 'id', contextOf: totpContext },
  { table: 'event_endpoints', column: 'secrets', key: 'id', contextOf: secretsContext },
  { table: 'signing_keys', column: 'private_half', key: 'kid', contextOf: privateHalfContext },
];

export function masterKeyQueries(db: Database, keyring: Keyring) {
  /** Encrypts a secret again. @returns null if it is under the current key already, or damaged: that must not block a rotation */
  const reseal = (sealed: Uint8Array, context: string): Buffer | null => {
    try {
      return keyring.resealSecret(sealed, context);
    } catch {
      return null;
    }
  };

  return (connection: Connection): Transaction['masterKey'] => {
    const read = async () => {
      const values = await metaOf(connection, db, [FINGERPRINT, ROTATION, RETIRED]);
      const fingerprint = values.get(FINGERPRINT) ?? '';
      return { fingerprint, rotation: rotationIn(values), retired: retiredIn(values) };
    };
    const set = (name: string, value: string | null) => setMeta(connection, db, name, value);
    const write = (rotation: Written) => set(ROTATION, JSON.stringify(rotation));
    return {
      state: async () => ({ ...(await read()), keyId: keyring.keyId }),
      async countUnderOtherKeys() {
        const current = Buffer.from(keyring.keyId, 'hex');
        // After the version byte, 4 bytes name the sealing key.
        const counts = Object.entries(SEALED).map(([table, { sealed }]) => {
          const isOther = sql<boolean>`substr(${sql.ref(sealed)}, 2, 4) <> ${current}`;
          return countRows(connection, db.selectFrom(table as keyof typeof SEALED).where(isOther), {
            slow: true,
          });
        });
        return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
      },
      async begin({ from, to, keyId, bundles, temporary }, now) {
        const { fingerprint, rotation, retired } = await read();
        const wasRetired = retired.some((one) => one.fingerprint === to);
        if (rotation !== null || fingerprint !== from || from === to || wasRetired) return false;
        for (const [opener, sealed] of Object.entries(bundles)) await set(bundleName(opener), sealed);
        await write({ from, to, keyId, step: 'announced', begunAt: now, temporary });
        return true;
      },
      async adopt(bundles) {
        const { rotation } = await read();
        if (rotation !== null || !(await hasNoLicenses(connection, db))) return false;
        for (const [opener, sealed] of Object.entries(bundles)) await set(bundleName(opener), sealed);
        return true;
      },
      async switch(to) {
        const { rotation } = await read();
        if (rotation?.to !== to) return false;
        await write({ ...(rotation as Written), step: 'switched' });
        return true;
      },
      async resealSecrets(keyId) {
        // A process that does not know the current sealing key yet must refresh its keys first.
        if (keyring.keyId !== keyId) throw new UnknownSealingKey();
        for (const { table, column, key, contextOf } of SECRETS) {
          const [from, name, secret] = [sql.table(table), sql.ref(key), sql.ref(column)];
          const all = sql<{ key: number | string; sealed: Uint8Array }>`
            select ${name} as "key", ${secret} as sealed from ${from} where ${secret} is not null`;
          for (const { key, sealed } of (await execute(connection, all.compile(db))).rows) {
            const resealed = reseal(sealed, contextOf(key as never));
            if (!resealed) continue;
            const update = sql`
              update ${from} set ${secret} = ${resealed} where ${name} = ${key} and ${secret} = ${sealed}`;
            await execute(connection, update.compile(db), { secret: true });
          }
        }
      },
      async finish(to, now) {
        const { rotation, retired } = await read();
        if (rotation?.to !== to || rotation.step !== 'switched') return false;
        for (const opener of (rotation as Written).temporary) await set(bundleName(opener), null);
        await set(FINGERPRINT, to);
        await set(RETIRED, JSON.stringify([...retired, { fingerprint: rotation.from, retiredAt: now }]));
        await set(ROTATION, null);
        return true;
      },
    };
  };
}

/** A rotation as `meta` stores it, with the bundles to remove at its end. */
type Written = Rotation & Pick<NewRotation, 'temporary'>;
