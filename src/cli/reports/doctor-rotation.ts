import { resealAll } from '../../app/keys/rotate-master-key.ts';
import { SYSTEM } from '../../app/people/set-up.ts';
import type { Config } from '../../config/config.ts';
import { openService } from '../../installation/service.ts';
import type { Inspection } from '../../store/backups/inspection.ts';
import { foreseen } from '../failure.ts';
import { counted } from '../table.ts';
import { type Check, fail, ok, warn } from './doctor-check.ts';

const NAME = 'Encryption';

/**
 * Whether all license keys rest under the newest key: a process that has slept through a rotation may have written others.
 * @param fix encrypts them anew
 */
export async function checkRotation(
  config: Config,
  { rotation, others }: Pick<Inspection, 'rotation' | 'others'>,
  fix: boolean,
): Promise<Check> {
  if (rotation) {
    const message = `a rotation of the master key was begun on ${rotation.begunAt} UTC and is not at its end`;
    return warn(NAME, message, 'Where it does not run just now, go on with it: latchkey master-key rotate');
  }
  if (others === 0) return ok(NAME, 'all license keys rest under this master key');
  const message = counted(
    others,
    'license key rests under a retired one',
    'license keys rest under a retired one',
  );
  if (!fix) return warn(NAME, message, 'Encrypt them anew: latchkey doctor --fix');
  try {
    const { store, execute, close } = await openService(config, { mustExist: true });
    try {
      const { keyId } = await store.read.masterKey.state();
      return ok(NAME, `encrypted anew: ${await resealAll(execute, keyId, SYSTEM)}`);
    } finally {
      await close();
    }
  } catch (error) {
    const reason = (foreseen(error) ?? (error as Error)).message;
    return fail(NAME, reason, 'Mend this, then run "latchkey doctor --fix" again.');
  }
}
