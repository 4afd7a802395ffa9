import { Command, CommanderError } from 'commander';
import { addApiKeyCommands } from './api-keys/api-key.ts';
import { addAuditCommands } from './audit/audit.ts';
import { addBackup } from './backups/backup.ts';
import { addMigrate } from './backups/migrate.ts';
import { addMove } from './backups/move.ts';
import { addRestore } from './backups/restore.ts';
import { Failure, foreseen } from './failure.ts';
import { addGeneratorCommands } from './generators/generator.ts';
import { addExamples, addNotes } from './help.ts';
import type { Host } from './host.ts';
import { addMasterKeyCommands } from './keys/master-key.ts';
import { addLicenseCommands } from './licenses/license.ts';
import { complain } from './output.ts';
import { addUserCommands } from './people/user.ts';
import { addReleaseCommands } from './releases/release.ts';
import { addSoftwareCommands } from './releases/software.ts';
import { addDoctor } from './reports/doctor.ts';
import { addServe } from './serve.ts';
import type { Given } from './settings.ts';

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
export async function runCli(words: readonly string[], host: Host): Promise<number> {
  stopWhenNobodyReads();
  // Known before the command line is understood, because that may be what fails.
  let given: Given = { json: beforeDashes(words).includes('--json') };
  const program = createProgram(host).hook('preAction', (_program, command) => {
    given = command.opts();
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const style = { json: given.json === true };
    const failure = error instanceof CommanderError ? misused(error) : foreseen(error, host);
    if (failure) {
      if (failure.message !== '') complain(style, failure);
      return failure.exitCode;
    }
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    complain(style, new Failure(1, 'failed', isDebugging(given) ? (stack ?? message) : message));
    return 1;
  }
}

function createProgram(host: Host): Command {
  const program = new Command('latchkey')
    .description('A self-hosted licensing server')
    .version(host.version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help for a command')
    .helpCommand('help [command]', 'Show help for a command')
    // Else --version, of a release, would print that of the program.
    .enablePositionalOptions()
    // Errors are told in one place, in words or in JSON.
    .configureOutput({ outputError: () => {} })
    .exitOverride();
  addServe(program, host);
  addMigrate(program, host);
  addMove(program, host);
  addBackup(program, host);
  addRestore(program, host);
  addLicenseCommands(program, host);
  addGeneratorCommands(program, host);
  addSoftwareCommands(program, host);
  addReleaseCommands(program, host);
  addApiKeyCommands(program, host);
  addUserCommands(program, host);
  addAuditCommands(program, host);
  addMasterKeyCommands(program, host);
  addDoctor(program, host);
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

const isDebugging = (given: Given): boolean =>
  ['debug', 'trace'].includes(String(given.logLevel ?? process.env.LATCHKEY_LOG_LEVEL).toLowerCase());

/** `latchkey license list | head` ends as soon as head has what it wants; that is no failure. */
function stopWhenNobodyReads(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    complain(
      { json: false },
      new Failure(3, 'output', `Standard output cannot be written: ${error.message}.`),
    );
    process.exit(3);
  });
  process.stderr.on('error', () => {});
}
