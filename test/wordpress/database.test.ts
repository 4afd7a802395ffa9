import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { openShop } from '../../src/wordpress/open-shop.ts';
import { makeSecrets, readSecrets, secretFiles } from '../../src/wordpress/secrets.ts';
import type { Plugin, ShopRecord } from '../../src/wordpress/shop.ts';
import { writeShop } from '../../src/wordpress/write-shop.ts';
import { migratedCli } from '../cli/cli.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/program.ts';
import { startMariadb } from '../support/wordpress/mariadb.ts';
import { runPhp } from '../support/wordpress/php.ts';
import {
  activationOf,
  comparable,
  eachShop,
  expectedOf,
  licenseOf,
  NOW,
  readShop,
  UNCHANGED,
} from '../support/wordpress/shop.ts';

const LICENSES = 340;
const mariadb = await startMariadb();
after(() => mariadb.stop());

const shops = await eachShop(LICENSES, async (name, plugin, files) => {
  mariadb.query(`create database ${name}`);
  mariadb.load(join(files, 'shop.sql'), name);
  const read = await readShop({ database: mariadb.url(name) }, files, { plugin });
  return { name, plugin, files, read, expected: expectedOf(files) };
});

suite('a shop in MariaDB, written by PHP', () => {
  for (const { name, read, expected } of Object.values(shops)) {
    test(`${name} has all columns of licenses and activations`, () => {
      const rows = expected.filter(({ odd }) => UNCHANGED.includes(odd));
      for (const row of rows) {
        if (row.table === 'license') assert.deepEqual(read.one('license', row.id).record, licenseOf(row));
        else assert.deepEqual(read.one('activation', row.id).record, activationOf(row));
      }
      assert.ok(rows.length > LICENSES * 0.9);
    });
  }
});

suite('dumps of a shop in MariaDB', () => {
  const FORMS = [[], ['--skip-extended-insert', '--complete-insert'], ['--compact', '--hex-blob']];
  for (const { name, plugin, files, read } of Object.values(shops)) {
    test(`${name} has the same records and digests as in the database`, async () => {
      for (const flags of name === 'dlm' ? FORMS : FORMS.slice(0, 1)) {
        const file = join(files, 'dump.sql');
        mariadb.dump(name, file, flags);
        if (flags.length > 1) writeFileSync(file, gzipSync(readFileSync(file)));
        const dumped = await readShop({ dump: file }, files, { plugin });
        assert.deepEqual(comparable(dumped), comparable(read), flags.join(' '));
        assert.deepEqual([dumped.shop.id, dumped.shop.left()], [read.shop.id, read.shop.left()]);
      }
    });
  }

  test('LMFWC without the options of WordPress gives its API keys the endpoints that programs need', async () => {
    const { files } = shops.lmfwc3;
    const file = join(files, 'tables.sql');
    mariadb.dump('lmfwc3', file, ['--ignore-table=lmfwc3.wp_options']);
    const { one } = await readShop({ dump: file }, files, { plugin: 'lmfwc' });
    const { record, notes } = one('api_key', 1);
    assert.equal(notes[0]?.code, 'unknown_routes');
    assert.equal(record?.endpoints?.length, 4);
  });
});

suite('the connection', () => {
  const open = async (database: string, plugin: Plugin = 'dlm') => {
    const secrets = await readSecrets(shops.dlm.files);
    return openShop(
      { plugin, from: { database }, secrets, prefix: null, now: NOW },
      new AbortController().signal,
    );
  };

  test('hides the password in errors', async () => {
    const url = new URL(mariadb.url('dlm'));
    url.password = 'wrong-secret';
    const failures = [
      url.href,
      mariadb.url('no_such_database'),
      `${mariadb.url('dlm')}?ssl-mode=verify_ca`,
      `${mariadb.url('dlm')}?ssl-mode=verify_identity&ssl-ca=${mariadb.certificate}`,
      `${mariadb.url('dlm')}?ssl-mode=always`,
      `${mariadb.url('dlm')}?ssl=true`,
      mariadb.url('dlm').replace('mysql:', 'postgres:'),
      mariadb.url('dlm').replace('%25', '%'),
      mariadb.url(''),
      'mysql://shop:wrong-secret@localhost:port/dlm',
    ];
    for (const failure of failures)
      await assert.rejects(open(failure), (error: Error) => {
        const { message } = error;
        assert.doesNotMatch(inspect(error), /wrong-secret|p(?:@|%40)ss/);
        return /Access denied|Unknown database|self-signed|not an IP address|ssl-mode must be|unknown option|form mysql|%25|name a database/.test(
          message,
        );
      });
    await assert.rejects(open(mariadb.url('dlm'), 'lmfwc'), /no table …lmfwc_licenses/);
  });

  test('is encrypted and checks the certificate if the address says so', async () => {
    mariadb.query(
      "create user tls@'127.0.0.1' identified by 'x' require ssl; grant select on dlm.* to tls@'127.0.0.1'",
    );
    const plain = mariadb.url('dlm').replace(/shop:[^@]*/, 'tls:x');
    await assert.rejects(open(plain), /Access denied/);
    const named = plain.replace('127.0.0.1', 'localhost');
    for (const url of [
      `${plain}?ssl-mode=REQUIRED`,
      `${plain}?ssl-ca=${mariadb.certificate}`,
      `${named}?ssl-mode=verify_identity&ssl-ca=${mariadb.certificate}`,
    ]) {
      const shop = await open(url);
      await shop.close();
    }
  });

  test('reads a single snapshot and changes nothing', async () => {
    const shop = await open(mariadb.url('dlm'));
    mariadb.query('delete from wp_dlm_license_meta where meta_id = 1', 'dlm');
    const records: ShopRecord[] = [];
    let last = 0;
    for await (const one of shop.records(new AbortController().signal, (part) => (last = part)))
      records.push(one);
    await shop.close();
    assert.deepEqual([records.length, last], [shops.dlm.read.records.length, 1]);
  });

  test('ends with an error when it is lost, before or between rows', { timeout: 60_000 }, async () => {
    const ids = () =>
      mariadb.query("select id from information_schema.processlist where user = 'shop'").match(/\d+/g) ?? [];
    const kill = () =>
      mariadb.query(
        ids()
          .map((id) => `kill ${id};`)
          .join(''),
      );
    for (const isBefore of [true, false]) {
      const shop = await open(mariadb.url('dlm'));
      let read = 0;
      if (isBefore) kill();
      await assert.rejects(async () => {
        for await (const _record of shop.records(new AbortController().signal, () => {}))
          if (++read === 1) kill();
      }, /the database reported: .*(?:Connection lost|ECONNRESET|closed)/);
      await shop.close();
    }
  });

  test('ends on an abort, even while rows arrive', async () => {
    const shop = await open(mariadb.url('dlm'));
    const abort = new AbortController();
    await assert.rejects(
      async () => {
        for await (const _record of shop.records(abort.signal, () => {})) abort.abort();
      },
      { name: 'AbortError' },
    );
    await shop.close();
  });
});

suite('latchkey move-in from the database', () => {
  for (const { name, plugin, files, expected } of Object.values(shops)) {
    test(`${name} gets its seats counted, and a second move takes only changes`, async () => {
      const cli = await migratedCli();
      const env = { LATCHKEY_MOVE_IN_DATABASE: mariadb.url(name) };
      const move = () => cli.json(['move-in', plugin, '--files', files], { env });
      const { counts } = await move();
      const rows = (sql: string) => cli.database((db) => db.prepare(sql).all()) as Record<string, number>[];
      const seats = new Map(
        rows('select id, times_activated from licenses').map((row) => [row.id, row.times_activated]),
      );
      assert.deepEqual(
        [seats.size, rows('select id from activations').length],
        [counts.license.created, counts.activation.created],
      );
      const usual = expected.filter((row) => row.table === 'license' && row.odd === null);
      for (const { id } of usual) {
        const valid = expected.filter((row) => row.license_id === id && row.deactivated_at === null).length;
        const row = usual.find((one) => one.id === id);
        assert.equal(seats.get(id), row?.times_activated ?? valid, `license ${id}`);
      }
      mariadb.query(`update wp_${plugin}_licenses set status = 4, order_id = 99 where id in (1, 2, 3)`, name);
      const again = (await move()).counts;
      assert.deepEqual([again.license.created, again.license.updated], [0, 3]);
      assert.deepEqual([again.activation.created, again.activation.updated], [0, 0]);
      assert.deepEqual(
        rows('select id from licenses where order_id = 99 and status = 4').map(({ id }) => id),
        [1, 2, 3],
      );
    });
  }
});

suite('an export for the plugin', () => {
  test('is read again from SQL, from MariaDB and by PHP', async () => {
    const folder = temporaryFolder();
    const secrets = makeSecrets();
    for (const [name, content] of Object.entries(secretFiles(secrets)))
      writeFileSync(join(folder, name), content);
    const file = join(folder, 'shop.sql');
    const moved = shops.dlm.read.records.filter(({ record }) => record !== null);
    const kept = moved.filter((one) => one.kind !== 'api_key');
    async function* all() {
      yield* kept;
    }
    const written = await writeShop(all(), secrets, (sql) => appendFile(file, sql), 'back_');
    assert.equal(
      written.license + written.activation + written.generator + written.license_meta,
      kept.length,
    );

    mariadb.query('create database back');
    mariadb.load(file, 'back');
    // The plugin has no column for the customer's address: the user or order has it.
    const content = (records: readonly ShopRecord[]) =>
      comparable({ records: [...records] }).map(({ kind, id, record }) => ({
        kind,
        id,
        record: kind === 'license' ? { ...record, customerEmail: null } : record,
      }));
    for (const from of [{ dump: file }, { database: mariadb.url('back') }]) {
      const read = await readShop(from, folder);
      assert.deepEqual(
        read.records.filter(({ notes }) => notes.length > 0),
        [],
      );
      assert.deepEqual(content(read.records), content(kept));
    }

    const lines = mariadb.query('select id, license_key, hash from back_dlm_licenses order by id', 'back');
    const keys = runPhp(join(ROOT, 'test/support/wordpress/read-licenses.php'), [folder], lines);
    assert.deepEqual(
      keys
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      kept.flatMap((one) => (one.kind === 'license' ? [[one.id, one.record?.key]] : [])),
    );
  });
});
