import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type MoveReport, moveDatabase } from '../../app/backups/move-database.ts';
import { type Config, SETTINGS } from '../../config/config.ts';
import { type Destination, type OpenMove, openMove } from '../../installation/moving.ts';
import { Failure } from '../failure.ts';
import { addExamples, addNotes } from '../help.ts';
import { interruptible } from '../interrupt.ts';
import { tellWhatWasMade } from '../open.ts';
import { answer, note } from '../output.ts';
import { createProgress } from '../progress.ts';
import type { Run } from '../run.ts';
import { addStorageFlags, type Given, settingsOf } from '../settings.ts';
import { counted, grouped, printable, table } from '../table.ts';

export function addMove(program: Command, run: Run): void {
  const command = program
    .command('move')
    .description('Copy everything to another database: from SQLite to PostgreSQL, or back')
    .requiredOption(
      '--to <database>',
      'The database to copy to, which must be empty: postgres://user@host/database, or sqlite:FOLDER for SQLite in a data directory',
    );
  addStorageFlags(command);
  addNotes(command, NOTES);
  addExamples(command, [
    [
      'Up, with the password from the environment',
      `PGPASSWORD=… latchkey move --to postgres://latchkey@db.example.com/latchkey`,
    ],
    [
      'And back, into a data directory',
      'LATCHKEY_DATABASE_URL=postgres://… latchkey move --to sqlite:./other-data',
    ],
  ]);
  command.action((given: Given) =>
    interruptible(run, 'nothing was moved', (signal) => move(run, given, signal)),
  );
}

const NOTES = `It copies the database of the settings, LATCHKEY_DATABASE_URL or else SQLite in the data directory,
as it is when the copy begins. Stop the servers before: what they write later is not in the copy.
Ids, and where they count on from, keys and the master key's fingerprint stay the same. All is read
back and compared by counts and checksums before it is committed; where anything fails, nothing is
left in the target. The source stays as it was, but for migrations that it lacked. Licenses that an
import or a generation under way has only put aside are left out, and so are the files of releases:
in the end you are told what to do with those. A password in --to is seen by whoever may list the processes of this machine:
leave it out, and set PGPASSWORD or write it to ~/.pgpass.`;

async function move(run: Run, given: Given, signal: AbortSignal): Promise<void> {
  const { config } = settingsOf(run);
  const to = destinationOf(String(given.to));
  const started = performance.now();
  const opened = await openMove(config, to);
  const progress = createProgress('rows, written and read back', run.io.stderr);
  try {
    tellWhatWasMade(run, { migrated: opened.migrated, madeMasterKey: null, database: opened.from }, config);
    const report = await moveDatabase(opened.source, opened.target, {
      signal,
      onProgress: (done, total) => progress.update(done / total, done),
    });
    progress.end();
    const seconds = (performance.now() - started) / 1000;
    if (report.leftOut > 0) {
      note(
        run,
        `${counted(report.leftOut, 'license')} of imports or generations that are not done were left out: do those again over there.`,
      );
    }
    const next = nextSteps(config, to, opened, report);
    answer(run, shown(opened, report, next), () => words(opened, report, next, seconds));
  } finally {
    progress.end();
    await opened.close();
  }
}

function destinationOf(text: string): Destination {
  const dataDir = /^sqlite:(.+)$/.exec(text)?.[1];
  if (dataDir) return { dataDir };
  try {
    return { databaseUrl: SETTINGS.databaseUrl.parse(text) as string };
  } catch {
    // Without the value: it may hold a password.
    const message =
      '--to must be an address like postgres://user@host:5432/database, or sqlite: and the path of a data directory.';
    throw new Failure(2, 'invalid_value', message);
  }
}

const rowsOf = ({ tables }: MoveReport): number => tables.reduce((sum, { rows }) => sum + rows, 0);

const shown = ({ from, to, madeMasterKey }: OpenMove, report: MoveReport, next: readonly string[]) => ({
  from,
  to,
  rows: rowsOf(report),
  tables: report.tables,
  left_out: report.leftOut,
  made_master_key: madeMasterKey,
  next,
});

function words({ from, to }: OpenMove, report: MoveReport, next: readonly string[], seconds: number): string {
  return [
    table(
      ['TABLE', 'ROWS', 'SHA-256 OF BOTH SIDES'],
      report.tables.map(({ name, rows, sha256 }) => [name, grouped(rows), sha256]),
    ),
    '',
    `Moved ${counted(rowsOf(report), 'row')} from ${printable(from)} to ${printable(to)} in ${seconds.toFixed(1)} s; counts and checksums agree.`,
    'Next:',
    ...next.map((step, i) => `  ${i + 1}. ${step}`),
  ].join('\n');
}

/** What a copy of the database does not bring with it, in sentences. */
function nextSteps(
  config: Config,
  to: Destination,
  { madeMasterKey }: OpenMove,
  report: MoveReport,
): string[] {
  const here = resolve(config.dataDir);
  const hasFiles =
    config.s3Bucket === null && report.tables.some(({ name, rows }) => name === 'artifacts' && rows > 0);
  const files = printable(resolve(here, 'artifacts'));
  if ('databaseUrl' in to) {
    return [
      'Start every node with LATCHKEY_DATABASE_URL set to the new database.',
      config.masterKey === null
        ? `Keep ${printable(resolve(here, 'master.key'))}: every node needs the same, in its data directory or as LATCHKEY_MASTER_KEY.`
        : 'Every node needs the same LATCHKEY_MASTER_KEY as before.',
      ...(hasFiles
        ? [
            `The files of releases stay in ${files}: every node needs that folder in its data directory, or S3 (LATCHKEY_S3_BUCKET).`,
          ]
        : []),
    ];
  }
  const there = resolve(to.dataDir);
  return [
    `Start one server with LATCHKEY_DATA_DIR=${printable(there)}, and with no setting of LATCHKEY_DATABASE_… any more.`,
    config.masterKey === null
      ? `Its master key is in ${printable(resolve(there, 'master.key'))}${madeMasterKey ? ', a copy of the one before' : ''}. Back that file up, apart from the database.`
      : 'It needs the same LATCHKEY_MASTER_KEY as before.',
    ...(hasFiles && there !== here
      ? [`Copy the files of releases: cp -a ${files} ${printable(there)}/`]
      : []),
  ];
}
