import { Command, CommanderError } from 'commander';
import { VERSION } from '../config/version.ts';
import { addApiKeyCommands } from './api-keys/api-key.ts';
import { addAuditCommands } from './audit/audit.ts';
import { addBackup } from './backups/backup.ts';
import { addMigrate } from './backups/migrate.ts';
import { addMove } from './backups/move.ts';
import { addRestore } from './backups/restore.ts';
import { Failure, foreseen } from './failure.ts';
import { addGeneratorCommands } from './generators/generator.ts';
import { addExamples, addNotes } from './help.ts';
import { addMasterKeyCommands } from './keys/master-key.ts';
import { addLicenseCommands } from './licenses/license.ts';
import { complain } from './output.ts';
import { addUserCommands } from './people/user.ts';
import { addReleaseCommands } from './releases/release.ts';
import { addSoftwareCommands } from './releases/software.ts';
import { addDoctor } from './reports/doctor.ts';
import type { Io, Run } from './run.ts';
import { addServe } from './serve.ts';

const EXIT_CODES = `Exit codes:
  0  done
  1  refused or failed: not found, exists already, lines rejected, a fault found by doctor or verify
  2  wrong usage or a bad value; the message names the flag
  3  the environment is at fault: settings, files, the storage, the database or its master key
  130, 143  interrupted; nothing was changed, but by master-key rotate, which goes on at its next run`;

const SETTINGS_NOTE = `Settings come from flags, then from environment variables: --data-dir is LATCHKEY_DATA_DIR.
Secrets have no flags, because any user may see the command lines of running programs: set
LATCHKEY_MASTER_KEY, LATCHKEY_CONSUMER_SECRET and LATCHKEY_DATABASE_URL, which takes every
command to PostgreSQL, in the environment.`;

/** Runs a command line, without the names of runtime and program. Answers the exit code; `serve` goes on running. */
export async function runCli(words: readonly string[], io: Io): Promise<number> {
  // Known before the command line is parsed, because that may be what fails.
  const run: Run = { io, given: { json: beforeDashes(words).includes('--json') }, exitCode: 0 };
  stopWhenNobodyReads(run);
  const program = createProgram(run).hook('preAction', (_program, command) => {
    run.given = command.opts();
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return run.exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const failure = error instanceof CommanderError ? misused(error) : foreseen(error);
    if (failure) {
      if (failure.message !== '') complain(run, failure);
      return failure.exitCode;
    }
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    complain(run, new Failure(1, 'failed', isDebugging(run) ? (stack ?? message) : message));
    return 1;
  }
}

function createProgram(run: Run): Command {
  const program = new Command('latchkey')
    .description('A self-hosted licensing server')
    .version(VERSION, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help for a command')
    .helpCommand('help [command]', 'Show help for a command')
    // Else --version, of a release, would print that of the program.
    .enablePositionalOptions()
    // Errors are told in one place, in words or in JSON.
    .configureOutput({
      writeOut: (text) => run.io.stdout.write(text),
      writeErr: (text) => run.io.stderr.write(text),
      outputError: () => {},
    })
    .exitOverride();
  addServe(program, run);
  addMigrate(program, run);
  addMove(program, run);
  addBackup(program, run);
  addRestore(program, run);
  addLicenseCommands(program, run);
  addGeneratorCommands(program, run);
  addSoftwareCommands(program, run);
  addReleaseCommands(program, run);
  addApiKeyCommands(program, run);
  addUserCommands(program, run);
  addAuditCommands(program, run);
  addMasterKeyCommands(program, run);
  addDoctor(program, run);
  addNotes(program, SETTINGS_NOTE);
  addNotes(program, EXIT_CODES);
  addExamples(program, [
    ['Start the server', 'latchkey serve'],
    ['What is wrong here?', 'latchkey doctor'],
    ['What can be done with licenses?', 'latchkey license --help'],
    ['How is an update published?', 'latchkey release publish --help'],
    ['Who changed what?', 'latchkey audit list'],
  ]);
  return program;
}

const beforeDashes = (words: readonly string[]): readonly string[] =>
  words.includes('--') ? words.slice(0, words.indexOf('--')) : words;

/** Commander's complaint; empty where it has shown the help in its stead. */
function misused({ code, message }: CommanderError): Failure {
  if (code === 'commander.help') return new Failure(2, 'usage', '');
  const [complaint = '', ...suggestion] = message.replace(/^error: /, '').split('\n');
  const sentence = complaint.charAt(0).toUpperCase() + complaint.slice(1).replace(/\.$/, '');
  return new Failure(2, 'usage', [`${sentence}.`, ...suggestion].join(' '));
}

const isDebugging = ({ io, given }: Run): boolean =>
  ['debug', 'trace'].includes(String(given.logLevel ?? io.env.LATCHKEY_LOG_LEVEL).toLowerCase());

/** `latchkey license list | head` ends as soon as head has what it wants; that is no failure. */
function stopWhenNobodyReads(run: Run): void {
  const { io } = run;
  io.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') io.exit(0);
    complain(
      { ...run, given: {} },
      new Failure(3, 'output', `Standard output cannot be written: ${error.message}.`),
    );
    io.exit(3);
  });
  io.stderr.on('error', () => {});
}
