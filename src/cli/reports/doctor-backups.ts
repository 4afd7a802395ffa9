import type { Config } from '../../config/config.ts';
import { backupFolder } from '../../installation/service.ts';
import { type Check, ok, warn } from './doctor-check.ts';

const NAME = 'Backups';
const HOUR_MS = 3_600_000;

/** Checks that the newest backup is recent and looks like one. Nothing when there is none and none is due. */
export async function checkBackups(config: Config, now = Date.now()): Promise<Check[]> {
  const { backupHours: hours } = config;
  const folder = backupFolder(config);
  const { findArchives, readHeads } = await import('../../installation/backing-up.ts');
  try {
    const [newest] = await readHeads(findArchives(folder).slice(0, 1));
    if (!newest) {
      const advice =
        'The server makes the first when it starts; when it runs, its log says why there is none.';
      return hours > 0 ? [warn(NAME, `there are none in ${folder}`, advice)] : [];
    }
    if (newest.problem !== null) {
      const advice = 'See what is wrong: latchkey backup verify. Then make another: latchkey backup';
      return [warn(NAME, `the newest, ${newest.path}, cannot be read: ${newest.problem}`, advice)];
    }
    const age = (now - newest.when) / HOUR_MS;
    const message = `the newest, ${newest.path}, was begun ${age.toFixed(1)} hours ago`;
    return hours > 0 && age > 2 * hours
      ? [
          warn(
            NAME,
            message,
            'One was due: the log of the server says what failed. Make one now: latchkey backup',
          ),
        ]
      : [ok(NAME, message)];
  } catch (error) {
    const advice = 'Let the user of the server read and write it, or set LATCHKEY_BACKUP_DIR to another.';
    return [warn(NAME, `${folder} cannot be read: ${(error as Error).message}`, advice)];
  }
}
