import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { needProgram } from '../debian.ts';
import { isRoot, NOBODY } from '../faults/unprivileged.ts';
import { temporaryFolder } from '../folder.ts';
import { freePort } from '../postgres/postgres.ts';
import { exitOf } from '../process.ts';

const START_MS = 60_000;
const FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

export interface MariadbServer {
  /** File with the server's self-signed certificate for `localhost`. */
  certificate: string;
  /** Returns the address of a database, for a user with all privileges. */
  url(database: string): string;
  /** Runs SQL. Returns its results as lines, with tabs between the values. */
  query(sql: string, database?: string): string;
  /** Runs the SQL in a file. */
  load(file: string, database: string): void;
  /** Dumps a database with mariadb-dump into a file. */
  dump(database: string, file: string, flags?: readonly string[]): void;
  stop(): Promise<void>;
}

const PASSWORD = 'p@ss/w%rd';

/** Starts MariaDB, of the system or of Debian, on a free port with its own data. Never runs as root. */
export async function startMariadb(): Promise<MariadbServer> {
  // The client comes first: the server's programs need some programs of its package.
  const client = needProgram('mariadb', 'mariadb-client');
  const mariadbd = needProgram('mariadbd', 'mariadb-server-core', FOLDERS);
  const folder = temporaryFolder();
  // Other users may have no access to the temporary folder of the tests.
  const options = {
    cwd: folder,
    env: { ...process.env, TMPDIR: folder },
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
  };
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  const [data, socket] = [join(folder, 'data'), join(folder, 'socket')];
  execFileSync(
    needProgram('mariadb-install-db', 'mariadb-server-core'),
    [
      ...['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal'],
      ...['--skip-test-db', '--innodb-log-file-size=8M'],
    ],
    { ...options, stdio: 'pipe' },
  );
  const [certificate, key] = makeCertificate(folder);
  const port = await freePort();
  const server = spawn(
    mariadbd,
    [
      ...['--no-defaults', `--datadir=${data}`, `--socket=${socket}`, `--pid-file=${join(folder, 'pid')}`],
      ...[`--port=${port}`, '--bind-address=127.0.0.1', '--innodb-flush-log-at-trx-commit=0'],
      ...['--innodb-log-file-size=64M', '--max-allowed-packet=64M'],
      `--ssl-cert=${certificate}`,
      `--ssl-key=${key}`,
    ],
    { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  process.on('exit', () => server.kill('SIGKILL'));
  await readyOf(server);
  const base = ['--no-defaults', `--socket=${socket}`, '--user=root', '--default-character-set=utf8mb4'];
  const query = (sql: string, database = '') =>
    execFileSync(client, [...base, '--batch', '--skip-column-names', database], {
      input: sql,
      encoding: 'utf8',
    });
  query(`create user shop@'127.0.0.1' identified by '${PASSWORD}'; grant all on *.* to shop@'127.0.0.1'`);
  return {
    certificate,
    url: (database) => `mysql://shop:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/${database}`,
    query,
    load(file, database) {
      execFileSync(client, [...base, database], { stdio: [openSync(file, 'r'), 'ignore', 'pipe'] });
    },
    dump(database, file, flags = []) {
      const dump = needProgram('mariadb-dump', 'mariadb-client');
      execFileSync(dump, [...base, ...flags, `--result-file=${file}`, database], { stdio: 'pipe' });
    },
    async stop() {
      const ended = exitOf(server);
      server.kill('SIGKILL');
      await ended;
    },
  };
}

function makeCertificate(folder: string): [certificate: string, key: string] {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  execFileSync(
    needProgram('openssl', 'openssl'),
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
      ],
      ...[
        '-subj',
        '/CN=localhost',
        '-addext',
        'subjectAltName=DNS:localhost',
        '-out',
        certificate,
        '-keyout',
        key,
      ],
    ],
    { stdio: 'pipe' },
  );
  if (isRoot) chownSync(key, NOBODY, NOBODY);
  return [certificate, key];
}

/** Waits until the server says that it is ready. */
async function readyOf(server: ChildProcess): Promise<void> {
  let log = '';
  await new Promise<void>((resolve, reject) => {
    const timeout = setTimeout(() => reject(new Error(`MariaDB does not start: ${log}`)), START_MS);
    server.stderr?.on('data', (data) => {
      log = (log + data).slice(-10_000);
      if (!log.includes('ready for connections')) return;
      clearTimeout(timeout);
      resolve();
    });
    server.once('exit', () => {
      clearTimeout(timeout);
      reject(new Error(`MariaDB cannot be started: ${log}`));
    });
  });
}
