import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Config, SETTINGS } from '../../config/config.ts';
import { optional, text } from '../../domain/fields.ts';
import type { Destination, Moved } from '../../installation/moving.ts';
import { define } from '../define.ts';
import { Failure } from '../failure.ts';
import { flagsOf, path } from '../flags.ts';
import { noteWhatWasMade } from '../open.ts';
import { answer, note } from '../output.ts';
import type { Run } from '../run.ts';
import { STORAGE, settingsOf } from '../settings.ts';
import { printable } from '../table.ts';
import { countRows, numbered, rowsIn, stagedIn } from './backup.ts';
import { watched } from './watched.ts';

export const move = define({
  name: 'move',
  description: 'Copy everything to another database: from SQLite to PostgreSQL, or back',
  flags: flagsOf(
    { to: optional(text({ min: 1, max: 4_096 })), toFile: path },
    {
      to: [
        'database',
        'Empty database to copy to: postgres://user@host/database, or sqlite:FOLDER for SQLite in a data directory (also LATCHKEY_MOVE_TO)',
      ],
      toFile: ['file', 'File that holds this address, if it has a password'],
    },
  ),
  settings: STORAGE,
  notes: `Copies the database of the settings (LATCHKEY_DATABASE_URL, or SQLite in the data directory) as it is
when the copy begins. Stop the servers first: their later writes are not copied. Ids, sequences, keys
and the fingerprint of the master key stay the same. Everything is read back and compared by counts
and checksums before the commit; if anything fails, nothing remains in the target. The source is
migrated to this version and is otherwise unchanged. Staged licenses of unfinished imports or
generations and release files are not copied: the command says what to do with them. Any user who lists
the processes of this machine sees a password in --to: give the address in --to-file or LATCHKEY_MOVE_TO,
or the password in PGPASSWORD or ~/.pgpass.`,
  examples: {
    'To PostgreSQL, with the password in a file': 'latchkey move --to-file /run/secrets/new-database-url',
    'To PostgreSQL, with the password from the environment':
      'PGPASSWORD=… latchkey move --to postgres://latchkey@db.example.com/latchkey',
    'Back into a data directory': 'LATCHKEY_DATABASE_URL=postgres://… latchkey move --to sqlite:./other-data',
  },
  async action({ run, values }) {
    const config = settingsOf(run);
    const to = await destination(run, values, config);
    const { moveTo } = await import('../../installation/moving.ts');
    const moved = await watched(run, 'nothing was moved', (watch) => moveTo(config, to, watch));
    const { from, tables, leftOut, madeMasterKey } = moved;
    noteWhatWasMade(run, { ...moved, madeMasterKey: null, database: from }, config);
    const next = nextSteps(config, to, moved);
    const value = {
      from,
      to: moved.to,
      rows: countRows(tables),
      tables,
      left_out: leftOut,
      made_master_key: madeMasterKey,
      next,
    };
    answer(run, value, () => [
      `Moved ${rowsIn(tables)} from ${printable(from)} to ${printable(moved.to)}; counts and checksums agree.`,
      ...numbered(next),
    ]);
  },
});

/** Reads where to copy to: from a flag, from the file that a flag names, or from the environment. */
async function destination(
  run: Run,
  { to, toFile }: { to: string | null; toFile: string | null },
  { moveTo }: Config,
): Promise<Destination> {
  if (to !== null && toFile !== null)
    throw new Failure(2, 'invalid_value', '--to and --to-file cannot be given together.');
  if (to !== null) {
    const found = destinationOf(to, '--to');
    if ('databaseUrl' in found && hasPassword(found.databaseUrl))
      note(
        run,
        'The password in --to was visible to every user of this machine: next time use --to-file or LATCHKEY_MOVE_TO, and change it.',
      );
    return found;
  }
  if (toFile !== null) return destinationOf((await readFile(toFile, 'utf8')).trim(), printable(toFile));
  if (moveTo !== null) return destinationOf(moveTo, SETTINGS.moveTo.env);
  const message = `--to is required, or --to-file, or ${SETTINGS.moveTo.env}.`;
  throw new Failure(2, 'invalid_value', message);
}

const hasPassword = (databaseUrl: string): boolean => {
  const { password, searchParams } = new URL(databaseUrl);
  return password !== '' || searchParams.has('password');
};

/** Returns the destination that a text names. @param source names the text in messages. @throws Failure */
function destinationOf(text: string, source: string): Destination {
  const dataDir = SETTINGS.dataDir.values.parse(/^sqlite:(.+)$/.exec(text)?.[1] ?? '');
  if (dataDir) return { dataDir };
  const databaseUrl = SETTINGS.databaseUrl.values.parse(text);
  if (databaseUrl) return { databaseUrl };
  // Do not repeat the value: it may contain a password.
  const message = `${source} must be an address like postgres://user@host:5432/database, or sqlite: and the path of a data directory.`;
  throw source === '--to'
    ? new Failure(2, 'invalid_value', message)
    : new Failure(3, 'configuration', message);
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
