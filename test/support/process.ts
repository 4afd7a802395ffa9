import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  type SpawnOptionsWithoutStdio,
  spawn,
} from 'node:child_process';
import { once } from 'node:events';
import { type Credentials, makeCredentials } from '../../src/app/api-keys/credentials.ts';
import { databaseEnvironment } from './engine.ts';
import { type Api, createApi } from './http/api.ts';
import { searchErrors, searchLog } from './leaks.ts';
import { ENVIRONMENT, PROGRAM } from './program.ts';
import { until } from './until.ts';

/** Resolves when a process has ended. */
export const exitOf = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
};

export interface RunningProcess extends Api {
  child: ChildProcess;
  credentials: Credentials;
  origin: string;
  /** Standard output and error so far. */
  output(): string;
  /** Ends the process with a signal, and waits for its end. @returns its exit code */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Returns the environment without this machine's settings of Latchkey, which must not reach a process under test. */
export const cleanEnvironment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('LATCHKEY_'))),
  ...ENVIRONMENT,
});

interface Start {
  env?: Record<string, string | undefined>;
  /** A command that runs the command after it, with limits or as another user. */
  through?: readonly string[];
  /** The command of an installed program; by default Node.js runs the bundle or the source. */
  program?: readonly string[];
}

const spawnProgram = (
  args: readonly string[],
  { through = [], program = [process.execPath, ...PROGRAM] }: Start,
  options: SpawnOptionsWithoutStdio,
): ChildProcessWithoutNullStreams => {
  const [command, ...words] = [...through, ...program, ...args];
  return spawn(command as string, words, options);
};

/** Runs the program to its end, as the npm script does. */
export async function runLatchkey(
  args: string[],
  options: Start & { input?: string; cwd?: string } = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawnProgram(args, options, {
    env: { ...cleanEnvironment(), ...options.env },
    cwd: options.cwd,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data) => {
    stdout += data;
  });
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  child.stdin.end(options.input ?? '');
  const [code] = (await once(child, 'close')) as [number | null];
  searchErrors(stderr);
  return { code, stdout, stderr };
}

/**
 * Runs a command, and signals it while it works. On a busy machine it may end before the signal: then `undo` removes what it made, and
 * it runs again.
 * @returns its exit code
 */
export async function interrupted(
  t: { after(stop: () => unknown): void },
  command: { args: string[]; env: Record<string, string>; isUnderWay(): boolean; undo(): void },
  signal: NodeJS.Signals,
): Promise<number | null> {
  for (;;) {
    const child = spawn(process.execPath, [...PROGRAM, ...command.args], {
      env: { ...cleanEnvironment(), ...command.env },
      stdio: 'ignore',
    });
    t.after(() => child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    await until(() => child.exitCode !== null || command.isUnderWay());
    child.kill(signal);
    const [code] = await ended;
    if (code !== 0) return code;
    command.undo();
  }
}

/**
 * Starts the service as a separate process on a free port. It is killed after the test or, with `{ after }`, after the
 * tests of the file.
 */
export async function startProcess(
  t: { after(stop: () => unknown): void },
  dataDir: string,
  options: Start & { credentials?: Credentials } = {},
): Promise<RunningProcess> {
  const credentials = options.credentials ?? makeCredentials();
  const child = spawnProgram(['serve'], options, {
    env: {
      ...cleanEnvironment(),
      ...(options.env?.LATCHKEY_DATABASE_URL === undefined ? await databaseEnvironment(dataDir) : {}),
      LATCHKEY_DATA_DIR: dataDir,
      LATCHKEY_PORT: '0',
      LATCHKEY_CONSUMER_KEY: credentials.consumerKey,
      LATCHKEY_CONSUMER_SECRET: credentials.consumerSecret,
      ...options.env,
    },
  });
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  let errors = '';
  child.stderr.on('data', (data) => {
    output += data;
    errors += data;
  });
  child.on('close', () => {
    searchLog(output);
    searchErrors(errors);
  });
  const origin = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (data) => {
      output += data;
      const found = /listening on (http:\/\/\S+)/.exec(output)?.[1];
      if (found) resolve(found);
    });
    child.on('exit', (code) => reject(new Error(`the service ended with ${code}: ${output}`)));
  });
  return {
    ...createApi(`${origin}/wp-json/dlm/v1`, credentials),
    child,
    credentials,
    origin,
    output: () => output,
    async stop(signal = 'SIGTERM') {
      const ended = exitOf(child);
      child.kill(signal);
      await ended;
      return child.exitCode;
    },
  };
}
