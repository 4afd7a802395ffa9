import { CommanderError } from 'commander';
import { VERSION } from '../config/version.ts';
import { apiKeyCommands } from './api-keys/api-key.ts';
import { auditCommands } from './audit/audit.ts';
import { backup } from './backups/backup.ts';
import { migrate } from './backups/migrate.ts';
import { move } from './backups/move.ts';
import { restore } from './backups/restore.ts';
import { completion } from './completion/completion.ts';
import { type AddCommand, addExamples, addNotes, ProgramCommand } from './define.ts';
import { eventEndpointCommands } from './events/event-endpoint.ts';
import { events } from './events/events.ts';
import { EXIT_CODES, Failure, foreseen } from './failure.ts';
import { generatorCommands } from './generators/generator.ts';
import { masterKeyCommands } from './keys/master-key.ts';
import { signingKeyCommands } from './keys/signing-key.ts';
import { activationCommands } from './licenses/activation.ts';
import { licenseCommands } from './licenses/license.ts';
import { moveIn } from './moving/move-in.ts';
import { moveOut } from './moving/move-out.ts';
import { complain, explanation } from './output.ts';
import { userCommands } from './people/user.ts';
import { releaseCommands } from './releases/release.ts';
import { softwareCommands } from './releases/software.ts';
import { doctor } from './reports/doctor.ts';
import { healthcheck } from './reports/healthcheck.ts';
import { upgradeCheck } from './reports/upgrade-check.ts';
import type { Io, Run } from './run.ts';
import { serve } from './serve.ts';

/** The commands by name, except `completion`, which reads the definitions of all others. */
const COMMANDS: Readonly<Record<string, AddCommand>> = {
  serve,
  migrate,
  'upgrade-check': upgradeCheck,
  move,
  'move-in': moveIn,
  'move-out': moveOut,
  backup,
  restore,
  license: licenseCommands,
  activation: activationCommands,
  generator: generatorCommands,
  software: softwareCommands,
  release: releaseCommands,
  'api-key': apiKeyCommands,
  user: userCommands,
  audit: auditCommands,
  'event-endpoint': eventEndpointCommands,
  events,
  'master-key': masterKeyCommands,
  'signing-key': signingKeyCommands,
  doctor,
  healthcheck,
};

const SETTINGS_NOTE = `Settings come from flags, then from environment variables, then from a file (--config): --data-dir is
LATCHKEY_DATA_DIR. Secrets have no flags, because any user can list the command lines of running
programs. A variable with _FILE names a file that holds the secret: LATCHKEY_MASTER_KEY_FILE.
With LATCHKEY_DATABASE_URL every command uses PostgreSQL.`;

/**
 * Runs a command line. Resolves to the exit code; after `serve` the server keeps running.
 * @param words the arguments, without the names of the runtime and the program
 */
export async function runCli(words: readonly string[], io: Io): Promise<number> {
  // Look for --json before the command line is parsed, because parsing may fail.
  const run: Run = { io, given: { json: beforeDashes(words).includes('--json') }, exitCode: 0 };
  exitWhenOutputFails(run);
  const program = createProgram(run, words).hook('preAction', (_program, command) => {
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

/**
 * Defines the command line. If the words begin with the name of a command, only that one is defined: defining all takes a
 * tenth of the time of a short command.
 */
export function createProgram(run: Run, words: readonly string[] = []): ProgramCommand {
  const program = new ProgramCommand('latchkey');
  program
    .description('A self-hosted licensing server')
    .version(VERSION, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help for a command')
    .helpCommand('help [command]', 'Show help for a command')
    // Otherwise --version, which names a release, would print the version of the program.
    .enablePositionalOptions()
    // `complain` reports all errors, in words or in JSON.
    .configureOutput({
      writeOut: (text) => run.io.stdout.write(text),
      writeErr: (text) => run.io.stderr.write(text),
      outputError: () => {},
    })
    .exitOverride();
  const [, named] = Object.entries(COMMANDS).find(([name]) => name === words[0]) ?? [];
  for (const add of named ? [named] : [...Object.values(COMMANDS), completion]) add(program, run);
  addNotes(program, SETTINGS_NOTE);
  program.addHelpText('afterAll', ['', ...explanation(run)].join('\n'));
  const codes = Object.entries(EXIT_CODES).map(([code, meaning]) => `  ${code}  ${meaning}`);
  addNotes(program, `Exit codes:\n${codes.join('\n')}`);
  addExamples(program, {
    'Start the server': 'latchkey serve',
    'Find out what is wrong': 'latchkey doctor',
    'See the commands for licenses': 'latchkey license --help',
    'See how to publish an update': 'latchkey release publish --help',
    'See who changed what': 'latchkey audit list',
  });
  return program;
}

const beforeDashes = (words: readonly string[]): readonly string[] =>
  words.includes('--') ? words.slice(0, words.indexOf('--')) : words;

/** Translates an error of commander. The message is empty if commander has shown the help instead. */
function misused({ code, message }: CommanderError): Failure {
  if (code === 'commander.help') return new Failure(2, 'usage', '');
  const [complaint = '', ...suggestion] = message.replace(/^error: /, '').split('\n');
  const sentence = complaint.charAt(0).toUpperCase() + complaint.slice(1).replace(/\.$/, '');
  return new Failure(2, 'usage', [`${sentence}.`, ...suggestion].join(' '));
}

const isDebugging = ({ settings }: Run): boolean =>
  settings?.ok === true && ['debug', 'trace'].includes(settings.config.logLevel);

/** Makes `latchkey license list | head` end without an error when head closes the pipe. */
function exitWhenOutputFails(run: Run): void {
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
