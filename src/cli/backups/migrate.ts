import type { Command } from 'commander';
import { openService } from '../../installation/service.ts';
import { capitalized } from '../failure.ts';
import { addExamples } from '../help.ts';
import { masterKeyWords } from '../open.ts';
import { answer } from '../output.ts';
import type { Run } from '../run.ts';
import { addCommonFlags, settingsOf } from '../settings.ts';
import { printable } from '../table.ts';

export function addMigrate(program: Command, run: Run): void {
  const command = program
    .command('migrate')
    .description('Bring the database up to date, or make a new one; the server does so when it starts');
  addCommonFlags(command);
  addExamples(command, [
    ['Before a new version is started', 'latchkey migrate'],
    ['A new data directory, before the first start', 'latchkey migrate --data-dir /var/lib/latchkey'],
  ]);
  command.action(async () => {
    const { config } = settingsOf(run);
    const service = await openService(config, { mustExist: false });
    await service.close();
    const { migrated, madeMasterKey } = service;
    const database = printable(service.database);
    answer(run, { applied: migrated, made_master_key: madeMasterKey }, () =>
      [
        migrated.length > 0
          ? `Applied to ${database}: ${migrated.join(', ')}.`
          : `${capitalized(database)} is up to date: no migration is missing.`,
        ...(madeMasterKey ? [masterKeyWords(madeMasterKey, config)] : []),
      ].join('\n'),
    );
  });
}
