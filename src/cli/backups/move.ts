import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Config, SETTINGS } from '../../config/config.ts';
import type { Destination, Moved } from '../../installation/moving.ts';
import { Failure } from '../failure.ts';
import { addExamples, addNotes } from '../help.ts';
import { tellWhatWasMade } from '../open.ts';
import { answer } from '../output.ts';
import type { Run } from '../run.ts';
import { addStorageFlags, type Given, settingsOf } from '../settings.ts';
import { printable } from '../table.ts';
import { rowsIn, stagedIn } from './backup.ts';
import { watched } from './watched.ts';

const NOTES = `Copies the database of the settings, LATCHKEY_DATABASE_URL or SQLite in the data directory, as it is
when the copy begins. Stop the servers first: what they write later is not copied. Ids, the next ids,
keys and the fingerprint of the master key stay the same. Everything is read back and compared by
counts and checksums before it is committed; when anything fails, nothing is left in the target. The
source stays as it was, but is migrated. Staged licenses of unfinished imports or generations and
the files of releases are not copied: the command says what to do with those. Any user who lists the
processes of this machine sees a password in --to: set PGPASSWORD or write ~/.pgpass instead.`;

export function addMove(program: Command, run: Run): void {
  const command = program
    .command('move')
    .description('Copy everything to another database: from SQLite to PostgreSQL, or back')
    .requiredOption(
      '--to <database>',
      'The empty database to copy to: postgres://user@host/database, or sqlite:FOLDER for SQLite in a data directory',
    );
  addStorageFlags(command);
  addNotes(command, NOTES);
  addExamples(command, [
    [
      'To PostgreSQL, with the password from the environment',
      `PGPASSWORD=… latchkey move --to postgres://latchkey@db.example.com/latchkey`,
    ],
    [
      'Back into a data directory',
      'LATCHKEY_DATABASE_URL=postgres://… latchkey move --to sqlite:./other-data',
    ],
  ]);
  command.action((given: Given) => move(run, given));
}

async function move(run: Run, given: Given): Promise<void> {
  const { config } = settingsOf(run);
  const to = destinationOf(String(given.to));
  const { moveTo } = await import('../../installation/moving.ts');
  const moved = await watched(run, 'nothing was moved', (watch) => moveTo(config, to, watch));
  const { from, tables, leftOut, migrated, madeMasterKey } = moved;
  tellWhatWasMade(run, { migrated, madeMasterKey: null, database: from }, config);
  const next = nextSteps(config, to, moved);
  const value = {
    ...{ from, to: moved.to, tables, left_out: leftOut, made_master_key: madeMasterKey, next },
  };
  answer(run, value, () =>
    [
      `Moved ${rowsIn(tables)} from ${printable(from)} to ${printable(moved.to)}; counts and checksums agree.`,
      'Next:',
      ...next.map((step, i) => `  ${i + 1}. ${step}`),
    ].join('\n'),
  );
}

function destinationOf(text: string): Destination {
  const dataDir = /^sqlite:(.+)$/.exec(text)?.[1];
  if (dataDir) return { dataDir };
  try {
    return { databaseUrl: SETTINGS.databaseUrl.parse(text) as string };
  } catch {
    // Do not repeat the value: it may hold a password.
    const message =
      '--to must be an address like postgres://user@host:5432/database, or sqlite: and the path of a data directory.';
    throw new Failure(2, 'invalid_value', message);
  }
}

/** What to do after a move, in sentences. */
function nextSteps(config: Config, to: Destination, { tables, leftOut, madeMasterKey }: Moved): string[] {
  const here = resolve(config.dataDir);
  const there = 'dataDir' in to ? resolve(to.dataDir) : null;
  const hasFiles =
    config.s3Bucket === null && tables.some(({ name, rows }) => name === 'artifacts' && rows > 0);
  const files = printable(resolve(here, 'artifacts'));
  const inFile = config.masterKey === null;
  const staged = leftOut > 0 ? [`${stagedIn(leftOut)} were left out: run those again.`] : [];
  if (there === null) {
    return [
      ...staged,
      'Start every node with LATCHKEY_DATABASE_URL set to the new database.',
      inFile
        ? `Keep ${printable(resolve(here, 'master.key'))}: every node needs the same, in its data directory or as LATCHKEY_MASTER_KEY.`
        : 'Every node needs the same LATCHKEY_MASTER_KEY as before.',
      ...(hasFiles
        ? [
            `The files of releases stay in ${files}: every node needs that folder in its data directory, or S3 (LATCHKEY_S3_BUCKET).`,
          ]
        : []),
    ];
  }
  return [
    ...staged,
    `Start one server with LATCHKEY_DATA_DIR=${printable(there)} and no LATCHKEY_DATABASE_… setting.`,
    inFile
      ? `Its master key is in ${printable(resolve(there, 'master.key'))}${madeMasterKey ? ', a copy of the one before' : ''}. Back that file up, apart from the database.`
      : 'It needs the same LATCHKEY_MASTER_KEY as before.',
    ...(hasFiles && there !== here
      ? [`Copy the files of releases: cp -a ${files} ${printable(there)}/`]
      : []),
  ];
}
