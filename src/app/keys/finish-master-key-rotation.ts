import type { Command } from '../command.ts';

/** The old master key opens the database no more. False where no rotation from it has switched. */
export const finishMasterKeyRotation: Command<{ to: string }, boolean> = async (
  { masterKey },
  { to },
  { now, record },
) => {
  const { fingerprint } = await masterKey.state();
  const finished = await masterKey.finish(to, now);
  const about = { from: fingerprint, to };
  if (finished) record({ action: 'master_key.retire', subject: { type: 'master_key', id: null }, about });
  return finished;
};
