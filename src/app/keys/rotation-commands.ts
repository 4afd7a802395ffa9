import type { NewRotation, Resealed, SealedTable, StagedPlace } from '../../store/store.ts';
import { defineCommand } from '../command.ts';

// The steps of a master key rotation in order, executed by `rotate-master-key.ts`.

/** Lets both master keys open the database; the old one still seals. Returns false during another rotation. */
export const beginMasterKeyRotation = defineCommand({
  name: 'begin-master-key-rotation',
  audit: 'always',
  run: async ({ masterKey }, rotation: NewRotation, { now, record }): Promise<boolean> => {
    const { from, to } = rotation;
    const begun = await masterKey.begin(rotation, now);
    if (begun) record({ action: 'master_key.rotate', id: null, about: { from, to } });
    return begun;
  },
});

/** Makes every process that has loaded the new key seal with it. Returns false if no rotation to it is in progress. */
export const switchMasterKey = defineCommand({
  name: 'switch-master-key',
  audit: { never: 'the begin and the end of the rotation are recorded' },
  run: ({ masterKey }, { to }: { to: string }): Promise<boolean> => masterKey.switch(to),
});

/** Rows of one transaction: about 15 ms of work. */
const RESEALED_AT_ONCE = 500;
const RESEALED = 'no record changes; the begin and the end of the rotation are recorded';

/** Seals some license keys or activation tokens with the new key, except those that it has already sealed. */
export const resealRecords = defineCommand({
  name: 'reseal-records',
  guarded: true,
  audit: { never: RESEALED },
  run: (
    { licenses },
    { table, keyId, after }: { table: SealedTable; keyId: string; after: number },
  ): Promise<Resealed<number>> => licenses.reseal(table, keyId, after, RESEALED_AT_ONCE),
});

/** Seals some staged licenses with the new key. */
export const resealStagedLicenses = defineCommand({
  name: 'reseal-staged-licenses',
  guarded: true,
  audit: { never: RESEALED },
  run: (
    { staged },
    { keyId, after }: { keyId: string; after: StagedPlace },
  ): Promise<Resealed<StagedPlace>> => staged.reseal(keyId, after, RESEALED_AT_ONCE),
});

/** Seals the secrets of users, event endpoints and signing keys with the new key. */
export const resealSecrets = defineCommand({
  name: 'reseal-secrets',
  guarded: true,
  audit: { never: RESEALED },
  run: async ({ masterKey }, { keyId }: { keyId: string }): Promise<null> => {
    await masterKey.resealSecrets(keyId);
    return null;
  },
});

/** Retires the old master key, which no longer opens the database. Returns false before the switch. */
export const finishMasterKeyRotation = defineCommand({
  name: 'finish-master-key-rotation',
  audit: 'always',
  run: async ({ masterKey }, { to }: { to: string }, { now, record }): Promise<boolean> => {
    const { fingerprint: from } = await masterKey.state();
    const finished = await masterKey.finish(to, now);
    if (finished) record({ action: 'master_key.retire', id: null, about: { from, to } });
    return finished;
  },
});
