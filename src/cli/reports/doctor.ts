import type { Command } from 'commander';
import { addExamples, addNotes } from '../help.ts';
import { answer } from '../output.ts';
import type { Run } from '../run.ts';
import { addAllSettings, type Given } from '../settings.ts';
import { counted, printable } from '../table.ts';
import type { Check } from './doctor-check.ts';
import { examine } from './doctor-checks.ts';

export function addDoctor(program: Command, run: Run): void {
  const command = program
    .command('doctor')
    .description('Look for faults in settings, files and database; changes nothing without --fix');
  addAllSettings(command);
  command.option(
    '--fix',
    'Remove what crashes have left of uploads, mend totals, and encrypt anew what rests under a retired key',
  );
  command.option('--json', 'Answer in JSON, for scripts');
  addNotes(
    command,
    'The exit code is 1 where something fails, 0 where all is well or there are warnings only.\nIt may run beside the server. Reading through a large database takes a while.',
  );
  addExamples(command, [
    ['With the settings of this shell', 'latchkey doctor'],
    ['Remove what a crash has left, beside the server or without it', 'latchkey doctor --fix'],
    [
      'Only what is not well, in a script',
      'latchkey doctor --json | jq \'.checks[] | select(.status != "ok")\'',
    ],
  ]);
  command.action(async (given: Given) => {
    const checks = await examine(run, given.fix === true);
    const ok = checks.every(({ status }) => status !== 'fail');
    answer(run, { ok, checks }, () => [...checks.map(words), '', summary(checks)].join('\n'));
    if (!ok) run.exitCode = 1;
  });
}

const NAME_WIDTH = 15;
const words = ({ name, status, message, advice }: Check): string => {
  const line = `${status.padEnd(4)}  ${name.padEnd(NAME_WIDTH)}  ${printable(message)}`;
  return advice === null ? line : `${line}\n${' '.repeat(NAME_WIDTH + 8)}${printable(advice)}`;
};

function summary(checks: readonly Check[]): string {
  const count = (status: Check['status']) => checks.filter((check) => check.status === status).length;
  const [faults, warnings] = [count('fail'), count('warn')];
  if (faults + warnings === 0) return 'All is well.';
  return `${counted(faults, 'fault')}, ${counted(warnings, 'warning')}.`;
}
