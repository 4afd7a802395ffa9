import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { checkClock } from '../../../src/cli/reports/doctor.ts';
import { checkDisk } from '../../../src/cli/reports/doctor-files.ts';
import { checkApiKeys } from '../../../src/cli/reports/doctor-records.ts';
import type { ApiKey } from '../../../src/domain/api-key.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { startProcess } from '../../support/process.ts';
import { type Cli, createCli, faults, migratedCli, runAsStranger } from '../cli.ts';

/** A sound data directory. Each test works on a copy. */
const sound = await migratedCli();

before(async () => {
  const keys = Array.from({ length: 1000 }, (_, i) => `KEY-${i}`);
  await sound.ok(['license', 'import', '-'], { input: ['license_key', ...keys].join('\n') });
  await sound.ok(['api-key', 'create']);
  // Write everything to the database file and empty the write-ahead log.
  sound.database((db) => db.exec('pragma wal_checkpoint(truncate)'));
});

function copy(): Cli & { file(name: string): string } {
  const dataDir = join(temporaryFolder(), 'data');
  cpSync(sound.dataDir, dataDir, { recursive: true });
  // Node.js 24 does not copy the mode of a folder.
  chmodSync(dataDir, 0o700);
  return { ...createCli(dataDir), file: (name) => join(dataDir, name) };
}

const fingerprints = (folder: string) =>
  readdirSync(folder)
    .sort()
    .map((name) => {
      const path = join(folder, name);
      return [name, statSync(path).mtimeMs, createHash('sha256').update(readFileSync(path)).digest('hex')];
    });

test('doctor finds no problems in a sound installation and changes no byte', async () => {
  const cli = copy();
  const earlier = fingerprints(cli.dataDir);
  const names = earlier.map(([name]) => name);
  assert.deepEqual(names, ['latchkey.db', 'master.key']);
  assert.deepEqual(await faults(cli, 0), {});
  const words = await cli.ok(['doctor']);
  assert.match(words, /^ok {4}Settings .*\nok {4}Data directory .*\n(ok {4}|warn {2})Disk space /);
  assert.match(words, /\nok {4}Backups {10}the server makes none \(LATCHKEY_BACKUP_HOURS is 0\)\n/);
  assert.match(words, /\n\n(No problems found|0 faults, 1 warning)\.\n$/);
  assert.deepEqual(fingerprints(cli.dataDir), earlier);
});

test('doctor finds no problems next to a running server', async (t) => {
  const cli = copy();
  const server = await startProcess(t, cli.dataDir);
  await server.license();
  assert.deepEqual(await faults(cli, 0), {});
});

test('doctor reports a missing data directory or database and creates neither', async () => {
  const cli = createCli();
  const { 'Data directory': directory } = await faults(cli, 1);
  assert.match(directory, /^fail: .* does not exist .*latchkey migrate/);
  assert.throws(() => statSync(cli.dataDir), { code: 'ENOENT' });
  const link = join(temporaryFolder(), 'link');
  symlinkSync('/missing/data', link);
  assert.match(
    (await faults(createCli(link), 1))['Data directory'],
    /^fail: .* is a link to \/missing\/data, which does not exist \| Mount/,
  );
  mkdirSync(cli.dataDir, { mode: 0o700 });
  const empty = await faults(cli, 1);
  assert.match(empty.Database, /^fail: .*latchkey\.db does not exist/);
  assert.match(empty['Master key'], /^warn: .*does not exist yet/);
  assert.deepEqual(readdirSync(cli.dataDir), []);
});

test('doctor advises to restore a lost database, and to correct one that cannot be opened', async () => {
  const cli = copy();
  rmSync(cli.file('latchkey.db'));
  assert.match(
    (await faults(cli, 1)).Database,
    /does not exist \| Put it back or restore a backup if there was one \(latchkey restore FILE\)\. Otherwise start/,
  );
  mkdirSync(cli.file('latchkey.db'));
  writeFileSync(cli.file('latchkey.db/file'), '');
  assert.match(
    (await faults(cli, 1)).Database,
    /cannot be opened: .*: check .* \| Correct this, then run doctor again/,
  );
});

test('doctor reports a bad setting and warns about an unknown one', async () => {
  const cli = copy();
  const bad = await faults(cli, 1, { env: { LATCHKEY_PORT: 'http' } });
  assert.match(bad.Settings, /^fail: LATCHKEY_PORT must be an integer/);
  const odd = await faults(cli, 0, { env: { LATCHKEY_DATADIR: '/srv' } });
  assert.match(odd.Settings, /^warn: LATCHKEY_DATADIR is not a setting/);
});

test('doctor reports a master key that is missing, damaged, wrong or open to others', async () => {
  const cli = copy();
  const key = readFileSync(cli.file('master.key'), 'utf8');
  chmodSync(cli.file('master.key'), 0o644);
  assert.match((await faults(cli, 0))['Master key'], /^warn: .*other users.* \| .*chmod 600/);
  writeFileSync(cli.file('master.key'), 'not hex');
  assert.match((await faults(cli, 1))['Master key'], /^fail: .*does not hold 64 hex digits.*backup/);
  writeFileSync(cli.file('master.key'), '0'.repeat(64), { mode: 0o600 });
  assert.match((await faults(cli, 1))['Master key'], /^fail: this is not the key.*backup/);
  rmSync(cli.file('master.key'));
  assert.match(
    (await faults(cli, 1))['Master key'],
    /^fail: .*does not exist \| Restore .* from your backup/,
  );
  assert.deepEqual(await faults(cli, 0, { env: { LATCHKEY_MASTER_KEY: key.trim() } }), {});
});

test('doctor reports a database that is corrupt, not a database, or empty', async () => {
  const cli = copy();
  const file = cli.file('latchkey.db');
  const whole = readFileSync(file);
  // First malformed values; then overwritten pages in the middle of the file, with the header intact.
  const damages = async (sql: string, ...columns: string[]) => {
    const changed = new DatabaseSync(file);
    changed.exec(sql);
    changed.close();
    const { Database: malformed } = await faults(cli, 1);
    for (const column of columns)
      assert.match(String(malformed), new RegExp(`^fail: .* is damaged: .*wrong ${column} \\(rows: 1\\)`));
    assert.equal(String(malformed).match(/wrong/g)?.length, columns.length);
  };
  await damages(
    `update users set created_at = '2030'; update licenses set leased_until = 'soon' where id = 1;
    insert into license_notes (license_id, note, tags) values (1, 'no JSON', '[')`,
    ...['created_at in users', 'tags in license_notes', 'leased_until in licenses'],
  );
  writeFileSync(file, whole);
  await damages(
    `insert into license_notes (license_id, note, tags) values (1, 'no JSON', '[]');
    insert into repeated_changes values (1, 'key', 'request', '{', '2030-01-01 00:00:00');
    insert into staged_licenses (batch, row, key_hash, sealed_key, valid_for, status, activations_limit, staged_at, notes)
    values ('batch', 1, x'00', x'00', 0, 2, 0, '2030-01-01 00:00:00', '{')`,
    ...['note in repeated_changes', 'notes in staged_licenses'],
  );
  const damaged = Buffer.from(whole);
  damaged.fill(0xa5, Math.floor(whole.length / 2 / 4096) * 4096, whole.length - 4096);
  writeFileSync(file, damaged);
  assert.match((await faults(cli, 1)).Database, /^fail: .* (is damaged|cannot be read): .* \| .*backup/);
  writeFileSync(file, 'no database at all, but text that is long enough for a header'.repeat(20));
  assert.match((await faults(cli, 1)).Database, /^fail: .*cannot be read: file is not a database/);
  truncateSync(file);
  const empty = await faults(cli, 1);
  assert.match(empty.Database, /^fail: .*latchkey\.db is empty \| .*backup/);
  assert.equal(readFileSync(file).length, 0);
});

test('doctor reports that another program has locked the database for long, unless it commits meanwhile', async () => {
  const cli = copy();
  using other = new DatabaseSync(cli.file('latchkey.db'));
  other.exec('begin immediate');
  assert.match((await faults(cli, 1)).Lock, /^fail: another program has locked/);
  other.exec('rollback');
  const program = `const database = new (require('node:sqlite').DatabaseSync)(require('node:worker_threads').workerData);
    const held = new Int32Array(new SharedArrayBuffer(4)), run = (sql) => database.exec(sql);
    while (true) [run('begin immediate; update licenses set order_id = 7'), Atomics.wait(held, 0, 0, 250), run('commit')];`;
  await using _busy = new Worker(program, { eval: true, workerData: cli.file('latchkey.db') });
  assert.equal((await faults(cli, 0)).Lock, undefined);
});

test('doctor reports a clock behind the newest record', async () => {
  const cli = copy();
  cli.database((db) => db.exec("update licenses set created_at = '2999-01-01 00:00:00' where id = 1000"));
  assert.match((await faults(cli, 1)).Clock, /^fail: it says .* but a record was created at 2999-01-01/);
});

test('doctor reports wrong totals; --fix counts them again and changes nothing else', async () => {
  const cli = copy();
  cli.database((db) => db.exec("update record_counts set records = 7 where counted = 'licenses'"));
  assert.match(
    (await faults(cli, 0)).Totals,
    /^warn: licenses: 1,000, but lists show 7 \| .*latchkey doctor --fix/,
  );
  assert.match(await cli.ok(['doctor', '--fix']), /^ok +Totals +counted again: licenses: 1,000/m);
  assert.match(await cli.ok(['doctor', '--fix']), /^ok +Totals +the totals of lists are right/m);
  assert.equal((await cli.json(['license', 'list'])).total, 1000);
});

test('doctor reports license keys that were changed in the database or moved to another row', async () => {
  const cli = copy();
  cli.database((db) => {
    db.exec('update licenses set sealed_key = cast(substr(sealed_key, 1, 30) as blob) where id = 7');
    db.exec('update licenses set sealed_key = (select sealed_key from licenses where id = 8) where id = 9');
    // The key id of another sealing key.
    db.exec(
      "update licenses set sealed_key = cast(x'0211223344' || substr(sealed_key, 6) as blob) where id = 11",
    );
  });
  assert.match(
    (await faults(cli, 1)).Encryption,
    /^fail: 3 license keys and tokens are damaged \(id 7 of licenses, id 9 of licenses, id 11 of licenses\) \| .*backup/,
  );
});

test('doctor reports that all API keys are revoked', async () => {
  const cli = copy();
  await cli.ok(['api-key', 'revoke', '1']);
  assert.match((await faults(cli, 1))['API keys'], /^fail: all are expired or revoked \| .*api-key create/);
});

test('doctor reports a data directory that is not a folder, is open to others, or is closed to this user', async () => {
  const cli = copy();
  writeFileSync(cli.file('first-start.txt'), 'secrets');
  assert.match((await faults(cli, 0))['First start'], /^warn: .*first-start\.txt holds secrets.* \| Read it/);
  chmodSync(cli.dataDir, 0o755);
  assert.match((await faults(cli, 0))['Data directory'], /^warn: other users .* can open .*chmod 700/);
  assert.match(
    (await faults(createCli(cli.file('master.key')), 1))['Data directory'],
    /^fail: .*is not a folder/,
  );
  chmodSync(cli.dataDir, 0o000);
  const { code, stdout, stderr } = await runAsStranger(['doctor', '--data-dir', cli.dataDir]);
  chmodSync(cli.dataDir, 0o700);
  assert.deepEqual([code, stderr], [1, '']);
  assert.match(
    stdout,
    /^fail {2}Data directory .*cannot be read and written by this user \(EACCES\)\n +Run "chmod u\+rwx /m,
  );
});

test('doctor warns about low disk space, a wrong clock and API keys about to expire', () => {
  const [MIB, GIB] = [1024 ** 2, 1024 ** 3];
  const disk = (free: number, total: number) => checkDisk({ free, total }).status;
  assert.deepEqual(
    [disk(50 * GIB, 100 * GIB), disk(GIB, 10 * GIB), disk(9 * GIB, 100 * GIB)],
    ['ok', 'ok', 'warn'],
  );
  assert.deepEqual([disk(GIB - 1, 2 * GIB), disk(100 * MIB - 1, 200 * MIB)], ['warn', 'fail']);
  assert.equal(checkDisk({ free: 100 * MIB - 1, total: 1000 * MIB }).message, '99 MiB free (9 %)');

  const now = '2027-01-01 00:00:00';
  const clock = (newest: string | null, at = now) => checkClock(at, newest).status;
  assert.deepEqual(
    [clock(null), clock('2026-12-31 00:00:00'), clock('2027-01-01 00:05:00')],
    ['ok', 'ok', 'ok'],
  );
  assert.equal(clock('2027-01-01 00:05:01'), 'fail');
  assert.deepEqual(
    [clock(null, '1970-01-01 00:00:00'), clock(null, '2100-01-02 00:00:00')],
    ['fail', 'fail'],
  );

  const key = (values: Partial<ApiKey>): ApiKey => ({
    id: 1,
    userId: 1,
    description: '',
    keyEnding: 'abcdef0',
    secretHash: new Uint8Array(32),
    permission: 'read_write',
    endpoints: null,
    products: null,
    hashedBy: 'sha256',
    compatibility: 'documented',
    lmfwcVersion: 3,
    expiresAt: null,
    revokedAt: null,
    replacedBy: null,
    lastAccessAt: null,
    createdAt: now,
    ...values,
  });
  const keys = (list: ApiKey[], consumerKey: string | null = null) =>
    checkApiKeys(list, { consumerKey }, now);
  const soon = key({ expiresAt: '2027-01-20 00:00:00' });
  const past = key({ expiresAt: '2026-12-31 23:59:59' });
  assert.equal(keys([key({})]).status, 'ok');
  assert.equal(keys([key({ expiresAt: '2027-03-01 00:00:00' })]).status, 'ok');
  assert.equal(keys([key({ permission: 'read', expiresAt: soon.expiresAt })]).status, 'ok');
  assert.match(keys([soon]).message, /key 1 with full permission expires at 2027-01-20/);
  assert.match(String(keys([soon]).advice), /Create another before then/);
  assert.match(String(keys([soon, key({ id: 2 })]).advice), /Use another/);
  assert.equal(keys([]).status, 'warn');
  assert.equal(keys([past]).status, 'fail');
  assert.equal(keys([past], 'ck_1234567890123456789').status, 'warn');
  assert.equal(keys([past], 'ck_123456789012abcdef0').status, 'fail');
});
