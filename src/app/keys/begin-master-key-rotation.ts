import type { NewRotation } from '../../store/store.ts';
import type { Command } from '../command.ts';

/** The database opens with either master key from now on; the old one still seals. False where another is under way. */
export const beginMasterKeyRotation: Command<NewRotation, boolean> = async (
  { masterKey },
  rotation,
  { now, record },
) => {
  const { from, to } = rotation;
  const begun = await masterKey.begin(rotation, now);
  if (begun)
    record({ action: 'master_key.rotate', subject: { type: 'master_key', id: null }, about: { from, to } });
  return begun;
};
