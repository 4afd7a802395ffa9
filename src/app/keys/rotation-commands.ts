import type { NewRotation, Resealed, StagedPlace } from '../../store/store.ts';
import { defineCommand } from '../command.ts';

/** The steps of a rotation of the master key, in their order. `rotate-master-key.ts` takes them. */

/** From now on either master key opens the database; the old one still seals. False during another rotation. */
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

/** From now on the new key seals, in every process that has loaded it. False if no rotation to it is under way. */
export const switchMasterKey = defineCommand({
  name: 'switch-master-key',
  audit: { never: 'a step of a rotation, whose begin and end are recorded' },
  run: ({ masterKey }, { to }: { to: string }): Promise<boolean> => masterKey.switch(to),
});

/** Rows that one command reads, and seals again if needed: about 15 ms of work. */
const RESEALED_AT_ONCE = 500;
const RESEALED = 'no record changes; the begin and the end of the rotation are recorded';

/** Seals some license keys with another key if they are not sealed with it yet. */
export const resealLicenses = defineCommand({
  name: 'reseal-licenses',
  guarded: true,
  audit: { never: RESEALED },
  run: ({ licenses }, { keyId, after }: { keyId: string; after: number }): Promise<Resealed<number>> =>
    licenses.reseal(keyId, after, RESEALED_AT_ONCE),
});

/** The same for staged licenses. */
export const resealStagedLicenses = defineCommand({
  name: 'reseal-staged-licenses',
  guarded: true,
  audit: { never: RESEALED },
  run: (
    { staged },
    { keyId, after }: { keyId: string; after: StagedPlace },
  ): Promise<Resealed<StagedPlace>> => staged.reseal(keyId, after, RESEALED_AT_ONCE),
});

/** From now on the old master key no longer opens the database. False if no rotation from it has switched. */
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
