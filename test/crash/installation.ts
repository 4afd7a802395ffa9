import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Credentials, makeCredentials } from '../../src/app/api-keys/credentials.ts';
import { databaseFile } from '../../src/installation/service.ts';
import { createKeyring, type Keyring } from '../../src/store/keys/keyring.ts';
import { readMasterKey } from '../../src/store/keys/master-key.ts';
import { keysOf } from '../../src/store/sql/keys/key-bundles.ts';
import type { VolatileDisk } from '../support/faults/volatile-disk.ts';
import { searchFolder } from '../support/leaks.ts';
import { pause, until } from '../support/postgres/cluster.ts';
import { answers, freePort, type PostgresServer, startPostgres } from '../support/postgres/postgres.ts';
import { type RunningProcess, runLatchkey, startProcess } from '../support/process.ts';
import { isRunning, type RunningWorkers, startWorkers } from '../support/workers.ts';

export type EngineName = 'sqlite' | 'postgres';
type Row = Record<string, unknown>;

/** A Latchkey service and its database, which can be killed and restarted on the same data. */
export interface Installation {
  engine: EngineName;
  dataDir: string;
  /** The database URL; null on SQLite. */
  databaseUrl: string | null;
  /** The PostgreSQL server; null on SQLite. */
  server: PostgresServer | null;
  keyring(): Promise<Keyring>;
  /** Returns the running process. @throws Error if none runs */
  running(): RunningProcess;
  isRunning(): boolean;
  /** Standard output and error of every process that served, including those that were killed. */
  output(): string;
  /** Starts the service. Stops it in order first if it runs with another number of processes. */
  start(workers: number): Promise<void>;
  /** Starts the service and kills it after some milliseconds. */
  startAndKill(workers: number, ms: number): Promise<void>;
  /** Returns the ids of the processes that serve beside the primary one. */
  workerIds(): number[];
  /** Kills the primary process with SIGKILL, and with `all` its workers at the same moment. */
  kill(all?: boolean): Promise<void>;
  /** Waits until none of the started processes serves any more. */
  allGone(): Promise<void>;
  /** Queries the database directly, beside the service. */
  rows(sql: string): Promise<Row[]>;
  /** Changes the database directly, after stopping the service. */
  change(sql: string): Promise<void>;
  /** Runs a CLI command. A power cut ends it. */
  latchkey(args: string[], env?: Record<string, string>): ReturnType<typeof runLatchkey>;
  /** Ends everything. Unless the data are kept, searches them for plaintext secrets and removes them. */
  close(options: { keep: boolean }): Promise<void>;
}

const DATABASE = 'latchkey';
/** Milliseconds within which workers must exit by themselves. */
const EXIT_MS = 60_000;

/**
 * Creates an installation that does not run yet.
 * @param disk holds the data directory; every kill cuts its power
 * @param settings environment variables of the service
 */
export async function createInstallation(
  engine: EngineName,
  disk: VolatileDisk | null,
  settings: Readonly<Record<string, string>> = {},
): Promise<Installation> {
  const dataDir = mkdtempSync(join(disk?.folder ?? tmpdir(), 'latchkey-crash-'));
  // Outside the data directory, because the server may run as another user.
  const serverDir = engine === 'postgres' ? mkdtempSync(join(tmpdir(), 'latchkey-crash-postgres-')) : null;
  const server = serverDir === null ? null : await startPostgres({ kept: serverDir });
  await server?.query(`create database ${DATABASE}`);
  const credentials: Credentials = makeCredentials();
  const env = {
    // Empty means SQLite, whatever engine other tests use.
    LATCHKEY_DATABASE_URL: server?.url(DATABASE) ?? '',
    // A restarted service must get the same port.
    LATCHKEY_PORT: String(await freePort()),
    ...settings,
  };
  const ending: (() => unknown)[] = [];
  const t = { after: (end: () => unknown) => void ending.push(end) };
  process.on('exit', () => {
    for (const end of ending) end();
  });
  let process_: RunningProcess | null = null;
  const served: RunningProcess[] = [];
  let processes = 0;
  let workers: number[] = [];
  const commands = new Set<Promise<unknown>>();

  const rows = async (sql: string): Promise<Row[]> => {
    if (server) return (await server.query(sql, DATABASE)).rows;
    const database = new DatabaseSync(databaseFile(dataDir), { readOnly: true, timeout: 5_000 });
    try {
      return database
        .prepare(sql)
        .all()
        .map((row) => ({ ...row }));
    } finally {
      database.close();
    }
  };
  const workerIds = () => (processes > 1 ? (process_ as RunningWorkers).workerIds().filter(isRunning) : []);

  async function stop(): Promise<void> {
    await process_?.stop();
    process_ = null;
  }
  const running = (): RunningProcess => {
    if (!process_) throw new Error('no process is running');
    return process_;
  };

  const allGone = () => until('the exit of all workers', async () => !workers.some(isRunning), EXIT_MS);
  /** Kills the process and, if there is a disk, cuts its power at the same moment. */
  async function cutPower(kill: () => unknown, ended: () => Promise<unknown>): Promise<void> {
    await disk?.cut();
    kill();
    // A process exits only after its disk has answered.
    await disk?.unplug();
    await ended();
    await disk?.plug();
  }

  return {
    engine,
    dataDir,
    databaseUrl: server?.url(DATABASE) ?? null,
    server,
    async keyring() {
      const masterKey = readMasterKey(dataDir);
      const values = (await rows('select name, value from meta')).map(({ name, value }) => [name, value]);
      const keys = masterKey && keysOf(new Map(values as [string, string][]), masterKey);
      if (!keys) throw new Error('there is no master key');
      return createKeyring(keys);
    },
    running,
    isRunning: () => process_ !== null,
    output: () => served.map((one) => one.output()).join(''),
    async start(count) {
      if (process_ && processes !== count) await stop();
      if (process_) return;
      processes = count;
      const more = { LATCHKEY_WORKERS: String(count) };
      process_ =
        count > 1
          ? await startWorkers(t, dataDir, { credentials, env: { ...env, ...more } })
          : await startProcess(t, dataDir, { credentials, env: { ...env, LATCHKEY_LOG_LEVEL: 'warn' } });
      served.push(process_);
    },
    async startAndKill(count, ms) {
      let kill: () => unknown = () => null;
      const killable = {
        after(end: () => unknown) {
          t.after(end);
          kill = end;
        },
      };
      const more = { ...env, LATCHKEY_WORKERS: String(count) };
      const started = startProcess(killable, dataDir, { credentials, env: more }).catch(() => null);
      await pause(ms);
      await cutPower(
        () => kill(),
        () => started.then((one) => one?.stop('SIGKILL')),
      );
    },
    workerIds,
    async kill(all = false) {
      workers = workerIds();
      let ended: Promise<unknown> = Promise.resolve();
      await cutPower(
        () => {
          ended = running().stop('SIGKILL');
          if (all) for (const pid of workers) process.kill(pid, 'SIGKILL');
        },
        () => Promise.all([ended, ...commands]).then(allGone),
      );
      process_ = null;
    },
    allGone,
    rows,
    async change(sql) {
      if (process_) await stop();
      if (server) return void (await server.query(sql, DATABASE));
      const database = new DatabaseSync(databaseFile(dataDir), { timeout: 5_000 });
      database.exec(sql);
      database.close();
    },
    latchkey(args, more = {}) {
      const command = runLatchkey(args, {
        env: {
          ...env,
          LATCHKEY_DATA_DIR: dataDir,
          LATCHKEY_CONSUMER_KEY: credentials.consumerKey,
          LATCHKEY_CONSUMER_SECRET: credentials.consumerSecret,
          ...more,
        },
      });
      commands.add(command);
      return command.finally(() => commands.delete(command));
    },
    async close({ keep }) {
      for (const end of ending.splice(0)) end();
      // A disk in use cannot be unmounted.
      await process_?.stop('SIGKILL');
      await allGone();
      if (server && (await answers(server.url(DATABASE)))) await server.stop('immediate');
      if (keep) return disk?.close({ keep });
      for (const folder of [dataDir, serverDir].filter((one) => one !== null)) {
        searchFolder(folder);
        rmSync(folder, { recursive: true, force: true });
      }
      disk?.close({ keep });
    },
  };
}
