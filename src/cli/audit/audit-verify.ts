import { chainEntries, FAULTS_MAX, REACH, verifyAudit } from '../../app/audit/audit-chain.ts';
import { auditHead, headText } from '../../domain/audit.ts';
import { optional } from '../../domain/fields.ts';
import { snakeCased } from '../../domain/names.ts';
import { define } from '../define.ts';
import { flagsOf } from '../flags.ts';
import { opening } from '../open.ts';
import { answer } from '../output.ts';
import { counted } from '../table.ts';

export const verify = define({
  name: 'verify',
  description: 'Verify that no entry of the audit trail was changed, removed or added',
  flags: flagsOf(
    { head: optional(auditHead) },
    { head: ['position:hash', 'A head that verify or the log showed earlier; it must be in the chain'] },
  ),
  notes:
    'The exit code is 1 if anything is wrong. Save the head elsewhere: verify needs it to detect that\nthe end of the trail was cut off, or that all of it was reset to an earlier state.',
  examples: {
    'Verify the whole trail': 'latchkey audit verify',
    'Verify it against a saved head': 'latchkey audit verify --head "$(cat /mnt/elsewhere/audit-head)"',
    'Print the head, to save it': 'latchkey audit verify --json | jq -r .head',
  },
  action: ({ run, values }) =>
    opening(run, async (service) => {
      await chainEntries(service, REACH.most);
      const { head, checked, faults } = await verifyAudit(service, values.head);
      const ok = faults.length === 0;
      const shown = { ok, head: head && headText(head), checked, faults: faults.map(snakeCased) };
      answer(run, shown, () => [
        ...faults.map(({ message }) => `fault  ${message}`),
        ...(faults.length === FAULTS_MAX ? ['and possibly more'] : []),
        ok
          ? `No faults: ${counted(checked, 'entry', 'entries')} in the chain.`
          : `\n${counted(faults.length, 'fault')}.`,
        ...(head === null ? [] : [`head  ${headText(head)}`]),
      ]);
      if (!ok) run.exitCode = 1;
    }),
});
