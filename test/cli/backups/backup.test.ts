import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { beginArchive } from '../../../src/archive/folder.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres/postgres.ts';
import { startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { createCli, faults, migratedCli } from '../cli.ts';
import { backUp, newFolder, restore, verified } from './backups.ts';
import { contents, emptyDatabase, fill, manyLicenses, PASSWORD } from './moves.ts';

let server: PostgresServer;
before(async () => {
  server = await startPostgres({ settings: { fsync: 'off' } });
});
after(() => server.stop());

const onPostgres = (url: string) => ({ env: { LATCHKEY_DATABASE_URL: url } });

test('backups to PostgreSQL and back keep odd values of every table, except sessions and links', async () => {
  const cli = await migratedCli();
  await cli.ok(['license', 'create', '--license-key', 'A']);
  fill(cli);
  const earlier = contents(cli.dataDir);
  // The made-up rows have no release files.
  const first = await backUp(cli, ['--without-artifacts']);
  assert.equal(first.left_out, 7);
  const url = await emptyDatabase(
    server,
    "template template0 encoding 'UTF8' locale_provider icu icu_locale 'de' locale 'C'",
  );
  const middle = createCli();
  const up = await restore(cli, first.file, middle, onPostgres(url));
  assert.match(up.next.join(' '), /7 licenses of unfinished imports or generations are not in the backup/);
  assert.match(up.next.join(' '), /does not contain release files/);
  assert.match(up.next.join(' '), /latchkey event-endpoint update ID --enabled no/);
  const second = await backUp(middle, ['--without-artifacts'], onPostgres(url));
  const ended = ['sessions', 'invitations'];
  type Told = { name: string; rows: number };
  const kept = (tables: Told[]) => tables.filter(({ name }) => !ended.includes(name));
  const ofEnded = (tables: Told[]) =>
    tables.filter(({ name }) => ended.includes(name)).map(({ rows }) => rows);
  assert.deepEqual(kept(second.tables), kept(first.tables));
  assert.deepEqual(
    [ofEnded(first.tables), ofEnded(second.tables)],
    [
      [7, 7],
      [0, 0],
    ],
  );
  assert.equal(second.engine, 'postgres');
  const last = createCli(newFolder());
  const down = await restore(middle, second.file, last);
  assert.deepEqual(kept(down.tables), kept(first.tables));
  assert.ok(!JSON.stringify([up, second, down]).includes(PASSWORD));

  const { staged_licenses: _staged, ...expected } = earlier;
  const { staged_licenses: none, ...found } = contents(last.dataDir);
  assert.deepEqual(none, []);
  assert.deepEqual(found, { ...expected, sessions: [], invitations: [] });
});

test('a restored service keeps keys, tokens, limits, ids and files; only its owner can read the backup', async (t) => {
  const cli = await migratedCli();
  const first = await startService(t, { dataDir: cli.dataDir });
  const { credentials } = first;
  const license = await first.license({ license_key: 'Ключ-🔑', activations_limit: 2 });
  const software = await first.software();
  const bytes = randomBytes(1_000_000);
  await first.release(software.id, { file: new File([bytes], 'a.zip') });
  const { token } = await first.activation(license.license_key, { label: 'Ноутбук', software: software.id });
  const gone = await first.license();
  await first.ok('DELETE', `/licenses/${gone.license_key}`);

  const made = await backUp(cli);
  assert.deepEqual(made.artifacts, { count: 1, bytes: bytes.length });
  assert.match(made.file, new RegExp(`^${cli.dataDir}/backups/latchkey-\\d{8}T\\d{6}Z\\.tar$`));
  assert.equal(statSync(made.file).mode & 0o777, 0o600);
  assert.equal(statSync(join(cli.dataDir, 'backups')).mode & 0o777, 0o700);
  assert.deepEqual(readdirSync(join(cli.dataDir, 'backups')).length, 1);
  // Deletes the license after the backup.
  await first.ok('DELETE', `/licenses/${encodeURIComponent(license.license_key)}`);
  await first.stop();
  const whole = readFileSync(made.file);
  for (const secret of [readFileSync(join(cli.dataDir, 'master.key')), 'Ключ-🔑', credentials.consumerSecret])
    assert.ok(!whole.includes(String(secret).trim()));
  const about = await verified(cli, made.file, true);
  // The key of the deleted license, which is in the trash, is opened, too.
  assert.deepEqual(about.license_keys, { opened: 2, not_opened: null });

  const next = createCli(newFolder());
  const restored = await restore(cli, made.file, next);
  assert.equal(restored.made_master_key, join(next.dataDir, 'master.key'));
  assert.equal(statSync(next.dataDir).mode & 0o777, 0o700);
  assert.equal(statSync(join(next.dataDir, 'latchkey.db')).mode & 0o777, 0o600);
  assert.deepEqual(Object.keys(await faults(next, 0)), []);
  const second = await startService(t, { dataDir: next.dataDir, credentials });
  assert.equal((await second.ok('GET', `/licenses/validate/${token}`)).label, 'Ноутбук');
  await second.activation(license.license_key);
  await second.fails(
    ...([404, 'license_activation_limit_reached', 'GET'] as const),
    `/licenses/activate/${encodeURIComponent(license.license_key)}`,
  );
  assert.equal((await second.license()).id, gone.id + 1);
  const { download_url: url } = await second.ok('GET', `/software/${software.id}`, {
    query: { activation_token: token },
  });
  assert.ok(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(bytes));
});

test('backup writes to a named file or folder, never overwrites one, and runs once at a time', async () => {
  const cli = await manyLicenses(3);
  const folder = join(temporaryFolder(), 'made');
  const file = join(folder, 'mine.tar');
  assert.equal((await backUp(cli, ['--to', file])).file, file);
  const earlier = readFileSync(file);
  const refused = JSON.parse(await cli.fails(1, ['backup', '--json', '--to', file])).error;
  assert.deepEqual(
    [refused.code, refused.message],
    ['file_exists', `No backup was made: ${file} already exists.`],
  );
  assert.deepEqual(readFileSync(file), earlier);
  assert.match((await backUp(cli, ['--to', folder])).file, /made\/latchkey-\d{8}T\d{6}Z\.tar$/);
  assert.equal(readdirSync(folder).length, 2);
  assert.match(await cli.fails(2, ['backup', '--to', '']), /--to must not be empty/);
  assert.match(await cli.fails(2, ['backup', '--to', 's3://bucket']), /--to must be a path on this machine/);
  assert.match(await cli.fails(2, ['backup', '--keep', '0']), /--keep/);
  const misplaced = await cli.fails(2, ['backup', '--data-dir', folder, 'verify']);
  assert.match(misplaced, /Put --data-dir after "verify"/);
  // Use another folder: in the same second the name would be taken, too.
  const busy = temporaryFolder();
  const other = await beginArchive(busy, 0);
  assert.match(
    await cli.fails(1, ['backup', '--to', busy]),
    /No backup was made: another backup is being made in/,
  );
  await other.close();
  assert.deepEqual(readdirSync(busy), []);
  const nowhere = createCli();
  assert.match(await nowhere.fails(3, ['backup']), /There is no database in/);
  assert.ok(!existsSync(nowhere.dataDir));
  assert.match(await cli.fails(1, ['backup', 'verify']), /There are no backups in .*backups\. Name a backup/);
  assert.match(
    await cli.fails(3, ['backup', 'verify', join(folder, 'none.tar')]),
    /none\.tar: there is no such file/,
  );
  const plain = cli.file('notes.txt', 'no backup'.repeat(1000));
  assert.match(
    await cli.fails(1, ['restore', plain, '--data-dir', join(folder, 'new')]),
    /damaged: the file is not a backup of Latchkey, or its first bytes were changed\.$/m,
  );
  assert.match(
    await cli.fails(1, ['restore', cli.file('short.txt', 'no backup')]),
    /^error: Nothing was restored\. .* the file is not a backup of Latchkey, or ends after its first bytes\.$/m,
  );
  assert.match(await cli.fails(1, ['restore', cli.file('empty.tar', '')]), /damaged: the file is empty\.$/m);
  assert.ok((await cli.fails(3, ['restore', folder])).includes(`${folder}: this is a folder, not a file.`));
  assert.match(await cli.fails(3, ['backup', '--to', join(file, 'below')]), /file/);
});

test('backup --keep keeps the newest backups of its kind and leaves other files alone; list shows them all', async () => {
  const cli = await manyLicenses(1);
  const folder = join(cli.dataDir, 'backups');
  const made = await backUp(cli);
  const rows = 'latchkey-rows-20260104T000000Z.tar';
  writeFileSync(join(folder, rows), readFileSync(made.file));
  const names = ['20260101T000000Z', '20260102T000000Z', '20260103T000000Z', '20990101T000000Z'];
  for (const name of names) writeFileSync(join(folder, `latchkey-${name}.tar`), readFileSync(made.file));
  const others = [
    'notes.txt',
    'other.tar',
    'latchkey-20260101T000000Z.tar.gz',
    'latchkey-20261399T000000Z.tar',
  ];
  for (const name of others) writeFileSync(join(folder, name), 'mine');
  const foreign = 'latchkey-20250101T000000Z.tar';
  writeFileSync(join(folder, foreign), 'a file of somebody else');
  for (const kind of ['', 'rows-'])
    writeFileSync(
      join(folder, `latchkey-${kind}20260101T000001Z.tar.partial`),
      'left by one that was killed',
    );
  const { backups } = await cli.json(['backup', 'list']);
  assert.deepEqual(
    backups.map((one: { file: string }) => one.file.slice(-20, -4)),
    [
      '20990101T000000Z',
      made.file.slice(-20, -4),
      '20260104T000000Z',
      ...names.slice(0, 3).reverse(),
      '20250101T000000Z',
    ],
  );
  assert.deepEqual(
    [backups[1].engine, backups[1].latchkey, backups[1].bytes],
    ['sqlite', '0.1.0', made.bytes],
  );
  assert.match(backups.at(-1).problem, /header|ends/);

  // A backup dated in the future comes from a wrong clock: --keep neither counts nor removes it.
  others.push('latchkey-20990101T000000Z.tar');
  // Wait for the next second, to get another name.
  await until(() => new Date().toISOString().slice(0, 19) !== made.begun_at.slice(0, 19));
  const next = await backUp(cli, ['--keep', '2']);
  const withoutFiles = await backUp(cli, ['--without-artifacts', '--keep', '1']);
  assert.deepEqual(withoutFiles.removed, [join(folder, rows)]);
  assert.deepEqual(
    next.removed,
    names
      .slice(0, 3)
      .reverse()
      .map((name) => join(folder, `latchkey-${name}.tar`)),
  );
  assert.deepEqual(
    readdirSync(folder).sort(),
    [...others, foreign, made.file, next.file, withoutFiles.file]
      .map((path) => path.slice(path.lastIndexOf('/') + 1))
      .sort(),
  );
});
