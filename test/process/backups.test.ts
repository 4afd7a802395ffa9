import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { scheduleBackups } from '../../src/server/backup-schedule.ts';
import { noFailures } from '../../src/server/job-failures.ts';
import { backUp, verified } from '../cli/backups/backups.ts';
import { manyLicenses } from '../cli/backups/moves.ts';
import { type Cli, createCli, faults } from '../cli/cli.ts';
import { migratedFolder } from '../support/engine.ts';
import { unprivileged } from '../support/faults/unprivileged.ts';
import { temporaryFolder } from '../support/folder.ts';
import { cleanEnvironment, interrupted, startProcess } from '../support/process.ts';
import { PROGRAM } from '../support/program.ts';
import { storeConfig } from '../support/service.ts';
import { until } from '../support/until.ts';

const tarsIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.tar')) : [];
const isUnderWay = (folder: string): boolean =>
  existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.partial'));
const HOUR_MS = 3_600_000;
const nameOf = (at: number): string =>
  `latchkey-${new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z.tar`;

/** Enough licenses that copying them takes a while. */
const MANY = 10_000;
let made: Promise<Cli> | undefined;
/** Creates the licenses once. No test changes them. */
const many = (): Promise<Cli> => {
  made ??= manyLicenses(MANY);
  return made;
};

for (const [workers, more] of [
  ['1', '; a restart does not repeat them'],
  ['2', ''],
] as const) {
  test(`the server makes backups by its settings, with LATCHKEY_WORKERS=${workers}${more}`, async (t) => {
    const dataDir = await migratedFolder();
    const folder = join(temporaryFolder(), 'made');
    const env = {
      LATCHKEY_WORKERS: workers,
      LATCHKEY_BACKUP_HOURS: '24',
      LATCHKEY_BACKUP_DIR: folder,
      LATCHKEY_BACKUP_KEEP: '2',
    };
    const first = await startProcess(t, dataDir, { env });
    await first.license();
    const isLogged = (api: typeof first) => api.output().includes('a backup was made');
    await until(() => isLogged(first));
    const [name = ''] = tarsIn(folder);
    assert.equal(tarsIn(folder).length, 1);
    assert.equal(await first.stop(), 0);
    const cli = createCli(dataDir);
    await verified(cli, join(folder, name), true);
    // Only the primary process makes backups, so a restart is the same with two workers.
    if (workers === '2') return;

    // Age the backup by 25 hours and add one of 49 hours: another backup is due, and the oldest is removed.
    const now = Date.now();
    const [older, oldest] = [nameOf(now - 25 * HOUR_MS), nameOf(now - 49 * HOUR_MS)];
    writeFileSync(join(folder, oldest), readFileSync(join(folder, name)));
    renameSync(join(folder, name), join(folder, older));
    const second = await startProcess(t, dataDir, { env });
    await until(() => isLogged(second));
    const after = tarsIn(folder);
    assert.ok(after.length === 2 && after.includes(older) && !after.includes(oldest), after.join());
    assert.equal(await second.stop(), 0);

    const third = await startProcess(t, dataDir, { env });
    await third.license();
    assert.equal(await third.stop(), 0);
    assert.deepEqual(tarsIn(folder), after);
    assert.ok(!/backup/.test(third.output().replaceAll(folder, '')), third.output());
    assert.equal(readdirSync(folder).length, 2, 'the folder must hold nothing else');
  });
}

test('--backup-hours makes the server back up, too', async (t) => {
  const dataDir = await migratedFolder();
  const args = ['serve', '--data-dir', dataDir, '--port', '0', '--backup-hours', '1'];
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('LATCHKEY_')),
  );
  const child = spawn(process.execPath, [...PROGRAM, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    if (/"msg":"(a backup was made|the backup failed)/.test(output)) child.kill('SIGTERM');
  }
  assert.match(output, /a backup was made/);
  assert.equal(tarsIn(join(dataDir, 'backups')).length, 1);
});

/** A logger that records its lines. */
function logger() {
  const lines: [level: string, about: Record<string, unknown>, message: string][] = [];
  const log = (level: string) => (about: object, message: string) =>
    void lines.push([level, about as Record<string, unknown>, message]);
  return { lines, info: log('info'), error: log('error') } as never as {
    lines: typeof lines;
  } & Parameters<typeof scheduleBackups>[1];
}

/** Runs the backup schedule of a server in this process. */
function schedule(t: TestContext, dataDir: string, settings: object = {}) {
  const log = logger();
  const config = { ...storeConfig(dataDir), backupHours: 24, ...settings };
  const failures = noFailures();
  const backups = scheduleBackups(config, log, { retryMs: 50, failures });
  t.after(() => backups.stop());
  return { log, backups, failures };
}

test('a failed backup is logged and retried until it succeeds; one dated in the future or without files does not count', async (t) => {
  const cli = await manyLicenses(1);
  const backupDir = join(temporaryFolder(), 'made');
  // A file in place of the folder.
  writeFileSync(backupDir, '');
  const { log, failures } = schedule(t, cli.dataDir, { backupDir });
  await until(() => log.lines.length >= 2);
  assert.equal(failures.backup, log.lines.length);
  for (const [level, about, message] of log.lines) {
    assert.deepEqual([level, message], ['error', 'the backup failed and will be retried']);
    assert.match(String(about.err), /folder|ENOTDIR|file/);
  }
  const folder = temporaryFolder();
  const rows = await backUp(cli, ['--without-artifacts', '--to', folder]);
  assert.match(rows.file, /\/latchkey-rows-\d{8}T\d{6}Z\.tar$/);
  writeFileSync(join(folder, nameOf(Date.now() + 99 * HOUR_MS)), 'of a clock that was wrong');
  rmSync(backupDir);
  renameSync(folder, backupDir);
  await until(() => log.lines.at(-1)?.[0] === 'info');
  await verified(cli, String(log.lines.at(-1)?.[1].file), true);
});

test('all old backups beyond --backup-keep are removed at once', async (t) => {
  const cli = await manyLicenses(1);
  const { file } = await backUp(cli);
  const folder = join(cli.dataDir, 'backups');
  const names = Array.from({ length: 100 }, (_, i) => nameOf(Date.now() - (25 + i) * HOUR_MS));
  for (const name of names) copyFileSync(file, join(folder, name));
  rmSync(file);
  const { log } = schedule(t, cli.dataDir, { backupKeep: 1 });
  await until(() => log.lines.length > 0);
  const [[level, about] = []] = log.lines;
  assert.deepEqual([level, about?.removed, tarsIn(folder).length], ['info', 100, 1]);
});

test('a stop during a backup ends the backup and leaves nothing of it', async (t) => {
  const cli = await many();
  const { log, backups } = schedule(t, cli.dataDir);
  const folder = join(cli.dataDir, 'backups');
  await until(() => isUnderWay(folder));
  await backups.stop();
  assert.deepEqual([readdirSync(folder), log.lines], [[], []]);
});

test('a killed backup leaves nothing that looks like a backup, and the next one removes its file', async (t) => {
  const cli = await many();
  const folder = join(cli.dataDir, 'backups');
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGKILL', null],
  ] as const) {
    const command = {
      args: ['backup'],
      env: { LATCHKEY_DATA_DIR: cli.dataDir },
      isUnderWay: () => isUnderWay(folder),
      undo: () => rmSync(folder, { recursive: true }),
    };
    assert.equal(await interrupted(t, command, signal), code);
    assert.deepEqual(tarsIn(folder), []);
    if (signal !== 'SIGKILL') assert.deepEqual(readdirSync(folder), []);
  }
  await backUp(cli);
  assert.deepEqual([tarsIn(folder).length, readdirSync(folder).length], [1, 1]);
});

test('doctor warns about missing, old and damaged backups', async () => {
  const cli = await manyLicenses(1);
  const env = { LATCHKEY_BACKUP_HOURS: '12' };
  const told = async (settings = {}) => (await faults(cli, 0, { env: settings })).Backups;
  assert.equal(await told(), undefined);
  assert.match(await told(env), /^warn: there are none in .*backups \| /);
  const { file } = await backUp(cli);
  assert.equal(await told(env), undefined);
  const folder = join(cli.dataDir, 'backups');
  const old = join(folder, nameOf(Date.now() - 25 * HOUR_MS));
  renameSync(file, old);
  // Made while the clock was wrong.
  copyFileSync(old, join(folder, nameOf(Date.now() + 25 * HOUR_MS)));
  assert.match(await told(env), /^warn: the newest, .*, was begun 25\.0 hours ago \| A newer one was due/);
  assert.equal(await told(), undefined);
  writeFileSync(old, readFileSync(old).subarray(0, 5_000));
  assert.match(await told(), /^warn: the newest, .*, cannot be read: .* \| .*latchkey backup verify/);
});

test('a backup whose file cannot grow, as on a full disk, says so and leaves nothing', async (t) => {
  const cli = await many();
  const folder = temporaryFolder();
  const small = spawn(
    'bash',
    [
      '--norc',
      '-c',
      'ulimit -f 100; exec "$@"',
      'bash',
      process.execPath,
      ...PROGRAM,
      'backup',
      '--to',
      `${folder}/x.tar`,
    ],
    {
      env: { ...cleanEnvironment(), LATCHKEY_DATA_DIR: cli.dataDir },
    },
  );
  t.after(() => small.kill('SIGKILL'));
  let told = '';
  small.stderr.on('data', (chunk) => {
    told += chunk;
  });
  const [code] = await once(small, 'close');
  assert.equal(code, 3, told);
  assert.match(told, /^error: .*x\.tar\.partial: (the file is larger|no space)/m);
  assert.deepEqual(readdirSync(folder), []);
});

test('an interrupted restore leaves nothing, and the next restore replaces a killed one', async (t) => {
  const cli = await many();
  // Two backups of one second have the same name, and the test before may have just made one.
  const { file } = await backUp(cli, ['--to', join(temporaryFolder(), 'whole.tar')]);
  const dataDir = join(temporaryFolder(), 'restored');
  const key = ['--master-key-file', join(cli.dataDir, 'master.key')];
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGKILL', null],
  ] as const) {
    const command = {
      args: ['restore', file, '--data-dir', dataDir, ...key],
      env: {},
      isUnderWay: () => existsSync(join(dataDir, 'latchkey.db-wal')),
      undo: () => rmSync(dataDir, { recursive: true }),
    };
    assert.equal(await interrupted(t, command, signal), code);
    assert.equal(existsSync(dataDir), signal === 'SIGKILL');
  }
  const next = createCli(dataDir);
  // It must not become a new installation.
  const refused =
    /^error: The database is damaged: it has no tables .* a restore .* has not finished .*Restore it/;
  for (const command of [['license', 'list'], ['migrate'], ['backup']])
    assert.match(await next.fails(3, command), refused);
  assert.match((await faults(next, 1)).Database, /^fail: .*it has no tables .* \| .*restore the database/);
  await next.ok(['restore', file, ...key]);
  assert.equal((await next.json(['license', 'list'])).total, MANY);
});

test('backup names a folder that it may not write to', async () => {
  const cli = await manyLicenses(1);
  const folder = temporaryFolder();
  chmodSync(folder, 0o555);
  const child = spawn(
    ...([
      [...unprivileged, process.execPath][0] as string,
      [...unprivileged, process.execPath, ...PROGRAM, 'backup', '--to', folder].slice(1),
    ] as const),
    { env: { ...cleanEnvironment(), LATCHKEY_DATA_DIR: cli.dataDir }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let told = '';
  child.stderr.on('data', (chunk) => {
    told += chunk;
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 3, told);
  assert.ok(told.includes(`${folder}: permission denied`), told);
});
