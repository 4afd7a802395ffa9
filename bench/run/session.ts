import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BENCH, type Database, type Dataset, MASTER_KEY, restoring, whole } from './dataset.ts';
import type { DatabaseOptions } from './options.ts';
import { ownPostgres, postgresDatabase } from './postgres.ts';
import { type Server, startService } from './processes.ts';
import { sqliteDatabase } from './sqlite.ts';

const [KEY, SECRET] = [`ck_${'0123456789'.repeat(4)}`, `cs_${'0123456789'.repeat(4)}`];
export const CREDENTIALS = { LATCHKEY_CONSUMER_KEY: KEY, LATCHKEY_CONSUMER_SECRET: SECRET };
export const AUTHORIZATION = `Basic ${Buffer.from(`${KEY}:${SECRET}`).toString('base64')}`;

/** A data set with a service that runs on it. */
export interface Session {
  database: Database;
  service: Server;
  /** Data directory of the service. The benchmark may keep its own files there. */
  folder: string;
  /** Seconds that making the data set took; null if it existed. */
  madeIn: number | null;
  /** Seconds from the beginning until the start of the service: for making the data set, or for loading it. */
  preparedIn: number;
  /** Stops the service and restores the data set. */
  close(): Promise<void>;
}

/** Additional settings of the service, and flags for Node.js. */
interface Probe {
  settings: Record<string, string>;
  nodeFlags: string[];
}

export async function openSession(
  options: DatabaseOptions,
  dataset: Dataset = BENCH,
  probe: Probe = { settings: {}, nodeFlags: [] },
): Promise<Session> {
  const { licenses, engine } = options;
  const folder = join(options.folder, `${dataset.name}-${engine}-${licenses}`);
  mkdirSync(options.folder, { recursive: true });
  const release = holdAlone(`${folder}.running`);
  const own =
    engine === 'postgres' && options.url === null
      ? await ownPostgres(join(options.folder, 'postgres'), `${dataset.name}_${licenses}`)
      : null;
  const url = options.url ?? own?.url;
  const database = url ? await postgresDatabase(url, folder) : sqliteDatabase(folder);
  const start = () =>
    startService(
      {
        ...database.settings,
        ...probe.settings,
        LATCHKEY_MASTER_KEY: MASTER_KEY,
        ...CREDENTIALS,
      },
      `${folder}.log`,
      probe.nodeFlags,
    );
  const begun = performance.now();
  let madeIn: number | null = null;
  if (options.fresh || (await database.mark()) !== whole(dataset, licenses)) {
    console.error(`creating ${licenses.toLocaleString('en')} licenses in ${folder}`);
    await database.clear();
    const service = await start();
    await makeSoftware(service.port);
    await service.stop();
    await database.fill(dataset, licenses);
    madeIn = (performance.now() - begun) / 1_000;
  } else {
    // An interrupted run has not restored the data set.
    await database.restore(restoring(dataset, licenses));
  }
  await database.readIn();
  const preparedIn = (performance.now() - begun) / 1_000;
  const service = await start();
  if (options.events) await makeEndpoint(service.port);
  return {
    database,
    service,
    folder,
    madeIn,
    preparedIn,
    async close() {
      await service.stop();
      await database.restore(restoring(dataset, licenses));
      await database.close();
      await own?.stop();
      release();
    },
  };
}

/** Locks a data set. A run that ends removes what another run has made, so only one may run at a time. */
function holdAlone(file: string): () => void {
  try {
    closeSync(openSync(file, 'wx'));
  } catch {
    const pid = Number(readFileSync(file, 'utf8'));
    if (isAlive(pid))
      throw new Error(`process ${pid} is using this data set: wait for it, or use another --folder`);
  }
  writeFileSync(file, String(process.pid));
  return () => rmSync(file);
}

function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function makeEndpoint(port: number): Promise<void> {
  await post(port, '/events/endpoints', new URLSearchParams({ kind: 'poll' }));
}

async function makeSoftware(port: number): Promise<void> {
  const release = new FormData();
  release.set('version', '1.0.0');
  release.set('file', new File(['bytes'], 'bench.zip'));
  await post(port, '/software', new URLSearchParams({ name: 'Bench' }));
  await post(port, '/software/1/releases', release);
}

async function post(port: number, path: string, body: FormData | URLSearchParams): Promise<void> {
  const headers = { authorization: AUTHORIZATION };
  const response = await fetch(`http://127.0.0.1:${port}/wp-json/dlm/v1${path}`, {
    method: 'POST',
    headers,
    body,
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}
