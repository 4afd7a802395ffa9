import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after } from 'node:test';
import { isRoot, NOBODY } from '../faults/unprivileged.ts';
import { temporaryFolder } from '../folder.ts';
import { until } from './cluster.ts';
import { answers, freePort, type PostgresServer } from './postgres.ts';

interface Program {
  file: string;
  env: NodeJS.ProcessEnv;
}

/** Downloads Debian's package and its missing dependencies, without installing them. */
const FETCH = `
  fetch() { apt-get install -y --no-install-recommends --download-only -o Dir::Cache::archives="$PWD" pgbouncer; }
  mkdir partial
  fetch || { apt-get update && fetch; } || apt-get download pgbouncer libc-ares2
  for package in *.deb; do dpkg -x "$package" . || exit; done
  chmod -R a+rX .`;

/** Returns the installed program, or unpacks Debian's package into a temporary folder. */
function findPgBouncer(): Program {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const installed = folders.map((folder) => join(folder, 'pgbouncer')).find((file) => existsSync(file));
  if (installed) return { file: installed, env: process.env };
  const folder = temporaryFolder();
  try {
    execFileSync('sh', ['-c', FETCH], { cwd: folder, stdio: 'pipe' });
    const libraries = execFileSync('sh', ['-c', 'echo "$PWD"/usr/lib/*-linux-*'], { cwd: folder });
    const env = { ...process.env, LD_LIBRARY_PATH: libraries.toString().trim() };
    return { file: join(folder, 'usr/sbin/pgbouncer'), env };
  } catch (error) {
    throw new Error('PgBouncer is not installed and cannot be fetched: apt-get install pgbouncer', {
      cause: error,
    });
  }
}

/**
 * Starts PgBouncer in front of a server, in transaction mode, with so few connections that transactions switch between
 * them. It stops after the tests of the file.
 * @returns a function that returns the address of a database through PgBouncer
 */
export async function startPgBouncer(
  server: PostgresServer,
  settings: Record<string, string> = {},
): Promise<(database: string) => string> {
  const { file, env } = findPgBouncer();
  const port = await freePort();
  const lines = Object.entries({
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: '3',
    max_client_conn: '200',
    ...settings,
  }).map(([name, value]) => `${name} = ${value}`);
  const folder = temporaryFolder();
  const config = join(folder, 'pgbouncer.ini');
  const database = `* = host=127.0.0.1 port=${server.port} user=postgres`;
  writeFileSync(config, ['[databases]', database, '[pgbouncer]', ...lines, ''].join('\n'));
  chmodSync(folder, 0o755);

  // PgBouncer refuses to run as root, as PostgreSQL does.
  const owner = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const child: ChildProcess = spawn(file, [config], { env, ...owner, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data) => {
      log = (log + data).slice(-5_000);
    });
  const failed = new Promise<never>((_, reject) => {
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`PgBouncer cannot be started: ${log}`)));
  });
  failed.catch(() => {});
  after(() => child.kill('SIGKILL'));
  const url = (name: string) => `postgres://postgres@127.0.0.1:${port}/${name}`;
  await Promise.race([failed, until('PgBouncer answers', () => answers(url('postgres')))]);
  return url;
}
