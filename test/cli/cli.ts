import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runCli } from '../../src/cli/program.ts';
import { databaseEnvironment, migratedFolder } from '../support/engine.ts';
import { unprivileged } from '../support/faults/unprivileged.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { Record_ } from '../support/http/api.ts';
import { searchErrors } from '../support/leaks.ts';
import { cleanEnvironment, runLatchkey } from '../support/process.ts';
import { START } from '../support/program.ts';

// Short commands spend most of their time compiling the same modules again; over 200 starts that adds up to a minute.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url));

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}
export interface RunOptions {
  env?: Record<string, string>;
  input?: string;
}

/**
 * The program on one data directory. `run` says which commands get a process of their own; the others run in the
 * test's.
 */
export interface Cli {
  dataDir: string;
  /** `serve`, and any command given variables other than Latchkey's own, runs in a process of its own. */
  run(args: string[], options?: RunOptions): Promise<Ended>;
  /** Standard output of a command that must succeed. */
  ok(args: string[], options?: RunOptions): Promise<string>;
  /** Parsed output of the same command with --json. */
  json(args: string[], options?: RunOptions): Promise<Record_>;
  /**
   * Standard error of a command that must end with this exit code, without a stack trace and without standard output.
   */
  fails(code: number, args: string[], options?: RunOptions): Promise<string>;
  /** Writes a file with this content and returns its path. */
  file(name: string, content: string | Buffer): string;
  /** Gives access to the SQLite database behind the program's back. */
  database<T>(use: (database: DatabaseSync) => T): T;
}

export function createCli(dataDir = join(temporaryFolder(), 'data')): Cli {
  const run = async (args: string[], { env, input = '' }: RunOptions = {}): Promise<Ended> => {
    const variables = { LATCHKEY_DATA_DIR: dataDir, ...(await databaseEnvironment(dataDir)), ...env };
    const needsProcess =
      args[0] === 'serve' || Object.keys(variables).some((name) => !name.startsWith('LATCHKEY_'));
    return needsProcess ? runLatchkey(args, { env: variables, input }) : runHere(args, variables, input);
  };

  async function ok(args: string[], options?: RunOptions): Promise<string> {
    const { code, stdout, stderr } = await run(args, options);
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  async function fails(expected: number, args: string[], options?: RunOptions): Promise<string> {
    const { code, stdout, stderr } = await run(args, options);
    assert.equal(code, expected, `${args.join(' ')}: ${stderr}${stdout}`);
    assert.equal(stdout, '');
    assert.match(stderr, /^error: |^\{"error":/m);
    assert.doesNotMatch(stderr, /\n\s+at /, 'a stack trace');
    return stderr;
  }

  return {
    dataDir,
    run,
    ok,
    fails,
    json: async (args, options) =>
      JSON.parse(await ok([...args.slice(0, 2), '--json', ...args.slice(2)], options)),
    file(name, content) {
      const path = join(temporaryFolder(), name);
      writeFileSync(path, content);
      return path;
    },
    database(use) {
      const database = new DatabaseSync(join(dataDir, 'latchkey.db'));
      try {
        return use(database);
      } finally {
        database.close();
      }
    },
  };
}

/** The program on an empty, migrated database: migrating takes longer than most commands. */
export const migratedCli = async (): Promise<Cli> => createCli(await migratedFolder());

/** Runs the program to its end in this process. */
async function runHere(args: string[], env: Record<string, string>, input: string): Promise<Ended> {
  const [stdout, stderr] = [new Collector(), new Collector()];
  const signals = new EventEmitter();
  const code = await runCli(args, {
    stdin: Readable.from([Buffer.from(input)]),
    stdout,
    stderr,
    env,
    on: signals.on.bind(signals),
    off: signals.off.bind(signals),
    exit(code) {
      throw new Error(`the program ends this process with ${code}`);
    },
  });
  searchErrors(stderr.text());
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

class Collector extends Writable {
  readonly #chunks: Buffer[] = [];
  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }
  text = (): string => Buffer.concat(this.#chunks).toString('utf8');
}

/**
 * The checks of doctor that are not ok, by name: their status, message and advice. Leaves out the free disk space, which
 * depends on the machine.
 */
export async function faults(
  cli: Cli,
  code: number,
  { env = {}, flags = [] }: { env?: Record<string, string>; flags?: string[] } = {},
): Promise<Record_> {
  const ended = await cli.run(['doctor', '--json', ...flags], { env });
  const { ok, checks } = JSON.parse(ended.stdout);
  assert.deepEqual([ended.code, ok, ended.stderr], [code, code === 0, ''], ended.stdout);
  const notWell = checks.filter(({ name, status }: Record_) => status !== 'ok' && name !== 'Disk space');
  for (const { advice, name } of notWell) assert.ok(advice, name);
  return Object.fromEntries(
    notWell.map(({ name, status, message, advice }: Record_) => [name, `${status}: ${message} | ${advice}`]),
  );
}

/**
 * Runs a command as a user to whom file permissions apply. Root stays root, without the capability to bypass
 * permissions: another user might have no access to the program itself.
 */
export const runAsStranger = (args: string[]): Promise<Ended> =>
  runLatchkey(args, {
    cwd: '/',
    through: unprivileged,
  });

/** Runs a shell command line in which `latchkey` is the program, as a user would type it. */
export async function shell(dataDir: string, line: string): Promise<Ended> {
  const child = spawn(
    'bash',
    ['--norc', '-c', `latchkey() { "${process.execPath}" "${START}" "$@"; }; ${line}`],
    {
      env: { ...cleanEnvironment(), LATCHKEY_DATA_DIR: dataDir, ...(await databaseEnvironment(dataDir)) },
    },
  );
  const [out, err] = [child.stdout.toArray(), child.stderr.toArray()];
  child.stdin.end();
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: (await out).join(''), stderr: (await err).join('') };
}
