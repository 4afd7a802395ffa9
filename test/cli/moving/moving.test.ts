import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { databaseFile } from '../../../src/installation/service.ts';
import { MIGRATIONS } from '../../../src/store/migrations/index.ts';
import { writeDefuseKey } from '../../../src/wordpress/defuse.ts';
import { madeWith } from '../../support/earlier-schema.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { createApi } from '../../support/http/api.ts';
import { ROOT } from '../../support/program.ts';
import { startService } from '../../support/service.ts';
import { type Expected, expectedOf, makeShop } from '../../support/wordpress/shop.ts';
import { createCli, migratedCli } from '../cli.ts';

// A shop filled by the plugin itself.
const FILES = join(ROOT, 'test/wordpress/dlm-1.8.3');
const DUMP = join(FILES, 'dump.sql');
const SHOP = ['--dump', DUMP, '--files', FILES];
const CREDENTIALS = {
  consumerKey: 'ck_2479305f88827245c776b2ca3b9d55edd2866bfd',
  consumerSecret: 'cs_aa14624fed2fac43a624a12ff838a8201aa71b0e',
};
const secret = readFileSync(join(FILES, 'secret.txt'));
const hashOf = (key: string) => createHmac('sha256', secret).update(key).digest('hex');
type Note = { kind: string; code: string };
type Count = { created: number; updated: number; unchanged: number };
/** Codes of notes about rows that become no license. */
const WITHOUT_LICENSE = ['bad_row', 'not_decrypted', 'exists'];
const countsOf = (counts: Record<string, { created: number; unchanged: number }>) =>
  ['license', 'activation', 'generator', 'api_key'].map((kind) => [
    counts[kind]?.created,
    counts[kind]?.unchanged,
  ]);

test('programs get the same answers after a shop moves in, with the API key that they carry', async (t) => {
  const cli = await migratedCli();
  const report = join(temporaryFolder(), 'report.json');
  const tried = await cli.json(['move-in', 'dlm', ...SHOP, '--dry-run', '--report', report]);
  assert.deepEqual(JSON.parse(readFileSync(report, 'utf8')), tried);
  const moved = await cli.json(['move-in', 'DLM', ...SHOP]);
  assert.deepEqual({ ...moved, dry_run: true }, tried);
  assert.deepEqual(countsOf(moved.counts), [
    [49, 0],
    [41, 0],
    [2, 0],
    [1, 0],
  ]);
  assert.deepEqual([moved.keeps_hashes, moved.notes, moved.not_read], [true, [], {}]);
  const again = await cli.json(['move-in', 'dlm', ...SHOP]);
  assert.deepEqual(countsOf(again.counts), [
    [0, 49],
    [0, 41],
    [0, 2],
    [0, 1],
  ]);

  const { ok, fails } = await startService(t, { dataDir: cli.dataDir });
  const as = { credentials: CREDENTIALS };
  const lines = readFileSync(join(FILES, 'expected.tsv'), 'utf8').trim().split('\n');
  for (const [i, line] of lines.entries()) {
    const [key = '', token, limit, expiresAt] = line.split('\t');
    const license = await ok('GET', `/licenses/${encodeURIComponent(key)}`, as);
    assert.deepEqual(
      [license.id, license.license_key, license.activations_limit, license.expires_at ?? '-'],
      [i + 1, key, Number(limit), expiresAt],
    );
    assert.deepEqual(await ok('GET', `/licenses/hashed-${hashOf(key)}`, as), license);
    const activation = await ok('GET', `/licenses/validate/${token}`, as);
    // The plugin answers for a deactivated activation, too.
    assert.deepEqual([activation.license_id, activation.deactivated_at !== null], [i + 1, i + 1 === 10]);
  }
  await fails(401, 'authentication_error', 'GET', '/licenses', {
    credentials: { ...CREDENTIALS, consumerSecret: `cs_${'0'.repeat(40)}` },
  });
});

test('moving in from LMFWC 2 takes seats that the shop only counts, and clients get the shapes of version 2', async (t) => {
  const cli = await migratedCli();
  const files = makeShop('lmfwc2', 60);
  const move = ['move-in', 'lmfwc', '--dump', join(files, 'shop.sql'), '--files', files];
  const { counts, notes } = await cli.json(move);
  const lost = notes.filter(({ kind, code }: Note) => kind === 'license' && WITHOUT_LICENSE.includes(code));
  assert.deepEqual([counts.license.read, counts.license.created], [60, 60 - lost.length]);
  const plain = expectedOf(files).filter(({ odd }) => odd === null);
  const seats = cli.database((db) => db.prepare('select id, times_activated as seats from licenses').all());
  for (const { id, times_activated } of plain)
    assert.equal(seats.find((one) => one.id === id)?.seats, times_activated);
  // The tokens of these activations are random; a second move keeps them.
  const again = await cli.json(move);
  for (const [kind, { created, updated, unchanged }] of Object.entries<Count>(again.counts))
    assert.deepEqual([created, updated, unchanged], [0, 0, counts[kind].created]);

  // An activation in the shop changes no license here, and a dump without options no endpoints of API keys.
  const endpoints = () => cli.database((db) => db.prepare('select endpoints from api_keys').all());
  const before = endpoints();
  await cli.ok(['license', 'update', String(plain[8]?.key), '--status', 'disabled']);
  const dump = readFileSync(join(files, 'shop.sql'), 'utf8');
  const used = dump
    .replace(/^(\(9,.*,)(\d+)(,\w+,'[\d :-]+',\w+),.*?(\)[,;])$/m, (_, head, taken, tail, end) =>
      [head, Number(taken) + 1, tail, ",'2026-11-20 10:00:00',2", end].join(''),
    )
    .replaceAll('`wp_options`', '`other_options`');
  const later = await cli.json(['move-in', 'lmfwc', '--dump', cli.file('used.sql', used), '--files', files]);
  assert.deepEqual([later.counts.license.updated, later.counts.activation.created], [0, 1]);
  assert.equal(later.counts.api_key.updated, before.length);
  assert.equal((await cli.json(['license', 'show', String(plain[8]?.key)])).status, 'disabled');
  assert.deepEqual(endpoints(), before);

  const { root } = await startService(t, { dataDir: cli.dataDir });
  const sha1 = (text: string) => createHash('sha1').update(text).digest('hex');
  const credentials = { consumerKey: `ck_${sha1('key 0')}`, consumerSecret: `cs_${sha1('secret 0')}` };
  const { ok } = createApi(root.replace('dlm/v1', 'lmfwc/v2'), credentials);
  const { key, limit, times_activated: taken } = plain.find(({ id }) => id === 3) as Expected;
  const counted = (timesActivated: number) => ({
    timesActivated,
    timesActivatedMax: limit,
    remainingActivations: Number(limit) - timesActivated,
  });
  assert.deepEqual(await ok('GET', `/licenses/validate/${key}`), counted(Number(taken)));
  await ok('GET', `/licenses/deactivate/${key}`);
  assert.deepEqual(await ok('GET', `/licenses/validate/${key}`), counted(Number(taken) - 1));
});

test('an export for the plugin moves in again unchanged', async () => {
  const [here, there] = [createCli(), createCli()];
  const folder = join(temporaryFolder(), 'back');
  await here.ok(['move-in', 'dlm', ...SHOP]);
  const written = await here.json(['move-out', 'dlm', '--to', folder]);
  assert.deepEqual([written.license, written.activation, written.keeps_hashes], [49, 41, true]);
  // The secrets in the folder may be the only ones that decrypt the keys of a shop.
  assert.match(await here.fails(1, ['move-out', 'dlm', '--to', folder]), /defuse\.txt exists: .* --files/);
  await here.ok(['move-out', 'dlm', '--to', folder, '--files', folder]);
  assert.equal(statSync(join(folder, 'dlm.sql')).mode & 0o077, 0);
  assert.deepEqual(readFileSync(join(folder, 'secret.txt')), secret);
  await there.ok(['move-in', 'dlm', '--dump', join(folder, 'dlm.sql'), '--files', folder]);
  const all = (cli: typeof here) => cli.ok(['license', 'export']);
  assert.equal(await all(there), await all(here));
  const rows = (cli: typeof here) =>
    cli.database((db) =>
      db
        .prepare('select id, license_id, token, label, meta, created_at, deactivated_at from activations')
        .all(),
    );
  const withoutTokens = (cli: typeof here) => rows(cli).map(({ token: _, ...row }) => row);
  assert.deepEqual(withoutTokens(there), withoutTokens(here));

  // The plugin has no floating seats: move-out writes a lapsed seat as deactivated.
  const lapsed = '2026-02-03 04:05:06';
  here.database((db) => {
    const valid = 'select min(id) from activations where deactivated_at is null';
    db.exec(`update activations set seat_expires_at = '${lapsed}' where id = (${valid})`);
  });
  await here.ok(['move-out', 'dlm', '--to', folder, '--files', folder]);
  assert.ok(readFileSync(join(folder, 'dlm.sql'), 'utf8').includes(`NULL,'${lapsed}')`));

  // A database that was not moved in hashes with a binary key.
  const own = await migratedCli();
  await own.ok(['license', 'create', '--license-key', 'OWN-1']);
  assert.equal(
    (await own.json(['move-out', 'dlm', '--to', join(temporaryFolder(), 'own')])).keeps_hashes,
    false,
  );

  // A shop with its secrets in constants keeps them.
  const defuse = readFileSync(join(FILES, 'defuse.txt'), 'utf8');
  const out = ['move-out', 'dlm', '--to', folder];
  const env = { LATCHKEY_PLUGIN_DEFUSE: defuse, LATCHKEY_PLUGIN_SECRET: secret.toString() };
  await here.ok(out, { env });
  assert.equal(readFileSync(join(folder, 'defuse.txt'), 'utf8').trim(), defuse.trim());
  const half = { env: { LATCHKEY_PLUGIN_DEFUSE: defuse } };
  assert.match(await here.fails(3, out, half), /LATCHKEY_PLUGIN_SECRET must be set together/);
});

test('a move that cannot work is refused with a reason and leaves no database', async () => {
  const cli = createCli();
  const wrong = temporaryFolder();
  await cli.ok(['license', 'create', '--license-key', 'X'], { env: { LATCHKEY_DATA_DIR: wrong } });
  const fails = (code: number, args: string[]) => cli.fails(code, ['move-in', ...args]);
  assert.match(await fails(2, ['woo', ...SHOP]), /<plugin> must be one of: dlm, lmfwc\./);
  assert.match(
    await fails(2, ['dlm', '--files', FILES]),
    /--dump is required, or --database, or LATCHKEY_MOVE_IN/,
  );
  assert.match(await fails(2, ['dlm', '--dump', DUMP]), /--files is required, or LATCHKEY_PLUGIN_DEFUSE and/);
  assert.match(await fails(3, ['dlm', '--dump', DUMP, '--files', wrong]), /(defuse|secret)\.txt is missing/);
  assert.match(
    await fails(3, ['lmfwc', ...SHOP]),
    /The shop cannot be read: there is no table .*lmfwc_licenses/,
  );
  assert.match(
    await fails(3, ['dlm', '--dump', '/none.sql', '--files', FILES]),
    /cannot be read: .*\/none\.sql/,
  );
  const cut = cli.file('cut.sql', readFileSync(DUMP).subarray(0, 20_000));
  assert.match(
    await fails(3, ['dlm', '--dump', cut, '--files', FILES]),
    /The shop cannot be read: .*\. Nothing was moved\./,
  );
  assert.throws(() => statSync(cli.dataDir), /ENOENT/);
  // This database has a license, and programs may hold its hash.
  const here = { env: { LATCHKEY_DATA_DIR: wrong } };
  assert.match(
    await cli.fails(1, ['move-in', 'dlm', ...SHOP], here),
    /hashes their keys with a different secret/,
  );
});

test('a move says what it made; after it, deleted licenses in the trash keep the hash key', async () => {
  const cli = createCli();
  const args = ['move-in', 'dlm', ...SHOP];
  const noted = async (more: string[]) => (await cli.run([...args, ...more])).stderr;
  assert.doesNotMatch(await noted(['--dry-run']), /encrypts all license keys/);
  assert.match(await noted([]), /master\.key encrypts all license keys\. Back it up/);

  const other = await migratedCli();
  await other.ok(['license', 'create', '--license-key', 'A']);
  await other.ok(['license', 'delete', 'A']);
  const refused = /already has licenses \(deleted ones in the trash count\)/;
  assert.match(await other.fails(1, [...args, '--dry-run']), refused);
  assert.match(await other.fails(1, args), refused);
});

test('a dry run refuses a database with pending migrations, and leaves it as it is', async () => {
  const cli = createCli(temporaryFolder());
  await madeWith(cli.dataDir, MIGRATIONS.length - 1);
  const read = () => readFileSync(databaseFile(cli.dataDir));
  const before = read();
  const dryRun = ['move-in', 'dlm', ...SHOP, '--dry-run'];
  assert.match(await cli.fails(1, dryRun), /this database must be migrated first: run "latchkey migrate"/);
  assert.deepEqual(read(), before);
  const report = join(temporaryFolder(), 'none', 'report.json');
  assert.match(
    await cli.fails(3, [...dryRun.slice(0, -1), '--report', report]),
    /none\/report\.json: there is no/,
  );
  assert.deepEqual(read(), before);
  const prefix = ['move-out', 'dlm', '--to', temporaryFolder(), '--prefix', 'a-b'];
  assert.match(await cli.fails(2, prefix), /--prefix may contain only letters, digits and underscores\./);
  assert.deepEqual(read(), before);
  const { stderr } = await cli.run(['move-out', 'dlm', '--to', temporaryFolder()]);
  assert.match(stderr, /Migrated the database in /);
  assert.equal((await cli.json(dryRun)).counts.license.created, 49);
});

test('with secrets of another shop, a dry run reports each license; a move is refused and can be repeated', async () => {
  const cli = await migratedCli();
  const defuse = readFileSync(join(FILES, 'defuse.txt'), 'utf8');
  const move = ['move-in', 'dlm', '--dump', DUMP];
  const withSecret = { env: { LATCHKEY_PLUGIN_DEFUSE: defuse, LATCHKEY_PLUGIN_SECRET: 'f'.repeat(64) } };
  const other = writeDefuseKey(Buffer.alloc(32, 1));
  const withKey = { env: { LATCHKEY_PLUGIN_DEFUSE: other, LATCHKEY_PLUGIN_SECRET: secret.toString() } };
  const { notes } = await cli.json([...move, '--dry-run'], withSecret);
  assert.equal(notes.filter(({ code }: { code: string }) => code === 'hash_differs').length, 49);
  assert.match(await cli.fails(1, move, withSecret), /No license key .* has the hash that secret\.txt gives/);
  assert.match(await cli.fails(1, move, withKey), /No license key .* can be decrypted: defuse\.txt/);
  const rows = (table: string) =>
    cli.database((db) => db.prepare(`select count(*) as count from ${table}`).get()?.count);
  for (const table of ['licenses', 'generators', 'activations', 'staged_records', 'moved_records'])
    assert.equal(rows(table), 0, table);
  const moved = await cli.json(['move-in', 'dlm', ...SHOP]);
  assert.deepEqual([moved.counts.license.created, moved.keeps_hashes, moved.notes], [49, true, []]);
});

test('the report lists what was not moved, what was changed, and what is left to do', async () => {
  const cli = await migratedCli();
  const dump = readFileSync(DUMP, 'utf8');
  const odd = (text: string) => ['--dump', cli.file('odd.sql', text), '--files', FILES];
  const [, key = ''] = /\(1,[^']*'([^']+)'/.exec(dump) ?? [];
  const broken = dump
    .replace(key, `x${key}`)
    .replaceAll("'2029-11-21 09:22:48','3',3", "'0000-00-00 00:00:00','3',9");
  // One broken row does not hide a wrong secret.
  const env = {
    LATCHKEY_PLUGIN_DEFUSE: readFileSync(join(FILES, 'defuse.txt'), 'utf8'),
    LATCHKEY_PLUGIN_SECRET: 'f'.repeat(64),
  };
  const args = ['move-in', 'dlm', ...odd(broken).slice(0, 2)];
  assert.match(await cli.fails(1, args, { env }), /has the hash that secret\.txt gives/);
  const report = await cli.ok(['move-in', 'dlm', ...odd(broken)]);
  assert.match(
    report,
    /\n\nNot moved:\n {2}1 license: The license key cannot .*\n {4}ids 1 \(license_key\)\n {2}1 activation: .*\n {4}ids 1\n\nMoved with a change:\n/,
  );
  assert.match(report, /ids 3 \(expires_at: 0000-00-00 00:00:00\), 4 .*, and \d+ more\n/);
  assert.ok(report.endsWith('\n--report FILE lists every row, as JSON.\nEverything was moved but 2 rows.\n'));

  const less = dump.replace(/,\n\(1001,.*(?=;\n)/, '');
  assert.notEqual(less, dump);
  assert.match(
    await cli.ok(['move-in', 'dlm', ...odd(less)]),
    /has deleted 1 row since an earlier move; --delete-gone deletes them here\.\nEverything was moved\.\n/,
  );
});
