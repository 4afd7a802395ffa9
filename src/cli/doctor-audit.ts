import { verifyEnd } from '../app/audit-chain.ts';
import type { Config } from '../config.ts';
import { type Check, fail, ok } from './doctor-check.ts';
import { foreseen } from './failure.ts';
import type { Host } from './host.ts';
import { counted } from './table.ts';

const NAME = 'Audit trail';
/** Places of the chain that are looked at: the whole of it may take minutes. */
const PLACES = 1_000;

/** Whether the end of the audit trail is as it was written. */
export async function checkAudit(host: Host, config: Config): Promise<Check> {
  try {
    const service = await host.openService(config, { mustExist: true });
    const { head, checked, faults } = await verifyEnd(service.store.read, PLACES).finally(service.close);
    const [first] = faults;
    const advice = 'See what else is wrong: latchkey audit verify';
    if (first) return fail(NAME, `${first.message} (${counted(faults.length, 'fault')})`, advice);
    if (!head) return ok(NAME, 'nothing in it yet');
    return ok(
      NAME,
      `ends at position ${head.position}; the last ${counted(checked, 'entry', 'entries')} are whole`,
    );
  } catch (error) {
    const reason = (foreseen(error, host) ?? (error as Error)).message;
    return fail(NAME, `it cannot be read: ${reason}`, 'Mend this, then look again.');
  }
}
