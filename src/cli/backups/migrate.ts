import { VERSION } from '../../config/version.ts';
import { migratedLines } from '../../installation/migrated.ts';
import { masterKeyAdvice, openForCommand } from '../../installation/service.ts';
import { define } from '../define.ts';
import { capitalized } from '../failure.ts';
import { noteWhatWasMade } from '../open.ts';
import { answer } from '../output.ts';
import { settingsOf } from '../settings.ts';
import { printable } from '../table.ts';

export const migrate = define({
  name: 'migrate',
  description: 'Create the database or migrate it to this version; the server also does so when it starts',
  examples: {
    'Before the start of a new version': 'latchkey migrate',
    'A new data directory, before the first start': 'latchkey migrate --data-dir /var/lib/latchkey',
  },
  async action({ run }) {
    const config = settingsOf(run);
    const { service } = await openForCommand(config, { mustExist: false });
    await service.close();
    const { migrated, madeMasterKey } = service;
    noteWhatWasMade(run, { ...service, migrated: null, madeMasterKey: null }, config);
    const database = printable(service.database);
    const value = {
      applied: migrated?.names ?? [],
      from: migrated?.from ?? null,
      to: VERSION,
      made_master_key: madeMasterKey,
    };
    answer(run, value, () => [
      ...(migrated ? migratedLines(database, migrated) : [`${capitalized(database)} is up to date.`]),
      ...(madeMasterKey ? [masterKeyAdvice(printable(madeMasterKey), config).join(' ')] : []),
    ]);
  },
});
