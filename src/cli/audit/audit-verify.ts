import type { Command } from 'commander';
import {
  type AuditReport,
  chainEntries,
  FAULTS_MAX,
  REACH,
  verifyAudit,
} from '../../app/audit/audit-chain.ts';
import { auditHead, headText } from '../../domain/audit.ts';
import { optional } from '../../domain/fields.ts';
import { addShapeFlags, readFlags } from '../flags.ts';
import { addExamples, addNotes } from '../help.ts';
import { reading } from '../open.ts';
import { answer } from '../output.ts';
import type { Run } from '../run.ts';
import { addCommonFlags, type Given } from '../settings.ts';
import { counted } from '../table.ts';

const verifyShape = { head: optional(auditHead) };

export function addVerify(audit: Command, run: Run): void {
  const command = audit
    .command('verify')
    .description('Look the whole audit trail over: whether an entry was changed, removed or added');
  addShapeFlags(command, verifyShape, {
    head: ['position:hash', 'The head that an earlier verify, or the log, has told: it must be in the chain'],
  });
  addCommonFlags(command);
  addNotes(
    command,
    'The exit code is 1 where something is wrong. Note the head elsewhere: only with it shows\nthat the end of the trail was cut off, or the whole put back to an earlier state.',
  );
  addExamples(command, [
    ['Whether all is well', 'latchkey audit verify'],
    [
      'The same, against a head that was noted',
      'latchkey audit verify --head "$(cat /mnt/elsewhere/audit-head)"',
    ],
    ['The head, to be noted', 'latchkey audit verify --json | jq -r .head'],
  ]);
  command.action((given: Given) => {
    const { head: noted } = readFlags(verifyShape, given);
    return reading(run, async (service) => {
      await chainEntries(service, REACH.most);
      const report = await verifyAudit(service, noted);
      const { head, checked, faults } = report;
      const ok = faults.length === 0;
      const shown = {
        ok,
        head: head && headText(head),
        checked,
        faults: faults.map(({ entryId, ...fault }) => ({ ...fault, entry_id: entryId })),
      };
      answer(run, shown, () => words(report));
      if (!ok) run.exitCode = 1;
    });
  });
}

function words({ head, checked, faults }: AuditReport): string {
  const end = head === null ? [] : [`head  ${headText(head)}`];
  if (faults.length === 0)
    return [`All is well: ${counted(checked, 'entry', 'entries')} in the chain.`, ...end].join('\n');
  const lines = faults.map(({ message }) => `fault  ${message}`);
  const more = faults.length === FAULTS_MAX ? ['and maybe more'] : [];
  return [...lines, ...more, '', `${counted(faults.length, 'fault')}.`, ...end].join('\n');
}
