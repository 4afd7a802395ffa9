import { resolve } from 'node:path';
import { type Config, SETTINGS } from '../../config/config.ts';
import { required, text } from '../../domain/fields.ts';
import type { Destination, Moved } from '../../installation/moving.ts';
import { define } from '../define.ts';
import { Failure } from '../failure.ts';
import { flagsOf } from '../flags.ts';
import { noteWhatWasMade } from '../open.ts';
import { answer } from '../output.ts';
import { STORAGE, settingsOf } from '../settings.ts';
import { printable } from '../table.ts';
import { countRows, numbered, rowsIn, stagedIn } from './backup.ts';
import { watched } from './watched.ts';

export const move = define({
  name: 'move',
  description: 'Copy everything to another database: from SQLite to PostgreSQL, or back',
  flags: flagsOf(
    { to: required(text({ min: 1, max: 4_096 })) },
    {
      to: [
        'database',
        'Empty database to copy to: postgres://user@host/database, or sqlite:FOLDER for SQLite in a data directory',
      ],
    },
  ),
  settings: STORAGE,
  notes: `Copies the database of the settings (LATCHKEY_DATABASE_URL, or SQLite in the data directory) as it is
when the copy begins. Stop the servers first: their later writes are not copied. Ids, sequences, keys
and the fingerprint of the master key stay the same. Everything is read back and compared by counts
and checksums before the commit; if anything fails, nothing remains in the target. The source is
migrated to this version and is otherwise unchanged. Staged licenses of unfinished imports or
generations and release files are not copied: the command says what to do with them. Any user who lists
the processes of this machine sees a password in --to: set PGPASSWORD or write ~/.pgpass instead.`,
  examples: {
    'To PostgreSQL, with the password from the environment':
      'PGPASSWORD=… latchkey move --to postgres://latchkey@db.example.com/latchkey',
    'Back into a data directory': 'LATCHKEY_DATABASE_URL=postgres://… latchkey move --to sqlite:./other-data',
  },
  async action({ run, values }) {
    const { config } = settingsOf(run);
    const to = destinationOf(values.to);
    const { moveTo } = await import('../../installation/moving.ts');
    const moved = await watched(run, 'nothing was moved', (watch) => moveTo(config, to, watch));
    const { from, tables, leftOut, migrated, madeMasterKey } = moved;
    noteWhatWasMade(run, { migrated, madeMasterKey: null, database: from }, config);
    const next = nextSteps(config, to, moved);
    const value = {
      ...{ from, to: moved.to, rows: countRows(tables), tables },
      ...{ left_out: leftOut, made_master_key: madeMasterKey, next },
    };
    answer(run, value, () =>
      [
        `Moved ${rowsIn(tables)} from ${printable(from)} to ${printable(moved.to)}; counts and checksums agree.`,
        ...numbered(next),
      ].join('\n'),
    );
  },
});

function destinationOf(text: string): Destination {
  const dataDir = /^sqlite:(.+)$/.exec(text)?.[1];
  if (dataDir) return { dataDir };
  try {
    return { databaseUrl: SETTINGS.databaseUrl.parse(text) as string };
  } catch {
    // Do not repeat the value: it may contain a password.
    const message =
      '--to must be an address like postgres://user@host:5432/database, or sqlite: and the path of a data directory.';
    throw new Failure(2, 'invalid_value', message);
  }
}

/** What to do after a move, in sentences. */
function nextSteps(config: Config, to: Destination, { tables, leftOut, madeMasterKey }: Moved): string[] {
  const here = resolve(config.dataDir);
  const hasFiles =
    config.s3Bucket === null && tables.some(({ name, rows }) => name === 'artifacts' && rows > 0);
  const files = printable(resolve(here, 'artifacts'));
  const inFile = config.masterKey === null;
  const staged = leftOut > 0 ? [`${stagedIn(leftOut)} were not copied: run those again.`] : [];
  if ('databaseUrl' in to) {
    return [
      ...staged,
      'Start every node with LATCHKEY_DATABASE_URL set to the new database.',
      inFile
        ? `Keep ${printable(resolve(here, 'master.key'))}: every node needs the same key, in its data directory or as LATCHKEY_MASTER_KEY.`
        : 'Every node needs the same LATCHKEY_MASTER_KEY as before.',
      ...(hasFiles
        ? [
            `Release files stay in ${files}: every node needs that folder in its data directory, or S3 (LATCHKEY_S3_BUCKET).`,
          ]
        : []),
    ];
  }
  const there = resolve(to.dataDir);
  return [
    ...staged,
    `Start one server with LATCHKEY_DATA_DIR=${printable(there)} and no LATCHKEY_DATABASE_… setting.`,
    inFile
      ? `Its master key is in ${printable(resolve(there, 'master.key'))}${madeMasterKey ? ', a copy of the previous one' : ''}. Back up that file, apart from the database.`
      : 'It needs the same LATCHKEY_MASTER_KEY as before.',
    ...(hasFiles && there !== here ? [`Copy the release files: cp -a ${files} ${printable(there)}/`] : []),
  ];
}
