import { verifyEnd } from '../../app/audit/audit-chain.ts';
import { type AuditEnd, END_PLACES } from '../../store/backups/inspection.ts';
import { counted } from '../table.ts';
import { type Check, fail, ok } from './doctor-check.ts';

const NAME = 'Audit trail';

/** Whether the end of the audit trail is as it was written; `audit verify` looks at all of it. */
export async function checkAudit(end: AuditEnd): Promise<Check> {
  const { head, checked, faults } = await verifyEnd(end, END_PLACES);
  const [first] = faults;
  const advice = 'See what else is wrong: latchkey audit verify';
  if (first) return fail(NAME, `${first.message} (${counted(faults.length, 'fault')})`, advice);
  if (!head) return ok(NAME, 'nothing has its place in it yet');
  return ok(
    NAME,
    `ends at position ${head.position}; the last ${counted(checked, 'entry', 'entries')} are whole`,
  );
}
