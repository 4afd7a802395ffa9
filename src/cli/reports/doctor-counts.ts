import { SYSTEM } from '../../app/people/set-up.ts';
import type { Config } from '../../config/config.ts';
import { openService } from '../../installation/service.ts';
import type { RecordCount } from '../../store/backups/inspection.ts';
import { foreseen } from '../failure.ts';
import { grouped } from '../table.ts';
import { type Check, fail, ok, warn } from './doctor-check.ts';

const NAME = 'Totals';

/**
 * Whether the totals that lists tell are those of the records that are there.
 * @param fix counts anew where they are not
 */
export async function checkCounts(
  config: Config,
  counts: readonly RecordCount[],
  fix: boolean,
): Promise<Check> {
  const wrong = counts.filter(({ counted, there }) => counted !== there);
  if (wrong.length === 0) return ok(NAME, 'lists tell as many records as there are');
  const message = wrong
    .map(({ table, counted, there }) => `${grouped(there)} of ${table}, where lists tell ${grouped(counted)}`)
    .join('; ');
  if (!fix) return warn(NAME, message, 'Count them anew: latchkey doctor --fix');
  try {
    const service = await openService(config, { mustExist: true });
    await service.execute('recount-records', {}, SYSTEM).finally(service.close);
    return ok(NAME, `counted anew: ${message}`);
  } catch (error) {
    const reason = (foreseen(error) ?? (error as Error)).message;
    return fail(NAME, reason, 'Mend this, then run "latchkey doctor --fix" again.');
  }
}
