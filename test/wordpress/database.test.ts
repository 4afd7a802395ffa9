import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openShop } from '../../src/wordpress/open-shop.ts';
import { makeSecrets, readSecrets, secretFiles } from '../../src/wordpress/secrets.ts';
import type { Plugin, ShopRecord } from '../../src/wordpress/shop.ts';
import { writeShop } from '../../src/wordpress/write-shop.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/program.ts';
import { startMariadb } from '../support/wordpress/mariadb.ts';
import { runPhp } from '../support/wordpress/php.ts';
import {
  activationOf,
  type Expected,
  expectedOf,
  licenseOf,
  makeShop,
  NOW,
  type ReadShop,
  readShop,
} from '../support/wordpress/shop.ts';

const LICENSES = 340;
const mariadb = await startMariadb();
after(() => mariadb.stop());

const shops = {
  dlm: await loaded('dlm', 'dlm'),
  lmfwc2: await loaded('lmfwc2', 'lmfwc'),
  lmfwc3: await loaded('lmfwc3', 'lmfwc'),
};

async function loaded(name: 'dlm' | 'lmfwc2' | 'lmfwc3', plugin: Plugin) {
  const files = makeShop(name, LICENSES);
  mariadb.query(`create database ${name}`);
  mariadb.load(join(files, 'shop.sql'), name);
  const read = await readShop({ database: mariadb.url(name) }, files, { plugin });
  return { name, plugin, files, read, expected: expectedOf(files) };
}

/** Without what is random: the tokens of placeholders. */
const comparable = ({ records }: Pick<ReadShop, 'records'>) =>
  records
    .map((one) => (one.id < 0 ? { ...one, record: { ...one.record, token: '' } } : one))
    .toSorted((a, b) => a.kind.localeCompare(b.kind) || a.id - b.id);

/** The odd ones that are moved as they are. */
const UNCHANGED = [null, 'quotes', 'unicode', 'long', 'duplicate', 'hash'];

suite('a shop in MariaDB, written by PHP', () => {
  for (const { name, read, expected } of Object.values(shops)) {
    test(`${name}: all columns of licenses and activations`, () => {
      const rows = expected.filter(({ odd }) => UNCHANGED.includes(odd));
      for (const row of rows) {
        if (row.table === 'license') assert.deepEqual(read.one('license', row.id).record, licenseOf(row));
        else assert.deepEqual(read.one('activation', row.id).record, activationOf(row));
      }
      assert.ok(rows.length > LICENSES * 0.9);
    });
  }

  test('odd licenses: what is noted, and how they are moved', () => {
    const { read, expected } = shops.dlm;
    const noted = (odd: string) => {
      const { id } = expected.find((one) => one.odd === odd) as Expected;
      const { record, notes } = read.one('license', id);
      return { record, notes: notes.map(({ code, column, value }) => [code, column, value]) };
    };
    const isLost = (odd: string, code: string) =>
      assert.deepEqual(noted(odd), { record: null, notes: [[code, 'license_key', null]] }, odd);
    for (const odd of ['damaged', 'other key', 'no ciphertext']) isLost(odd, 'not_decrypted');
    for (const odd of ['too long', 'reserved', 'empty']) isLost(odd, 'bad_row');
    for (const odd of ['quotes', 'unicode', 'long', 'duplicate']) assert.deepEqual(noted(odd).notes, [], odd);
    assert.deepEqual(noted('hash').notes, [['hash_differs', 'hash', null]]);

    const zero = noted('zero dates');
    assert.deepEqual([zero.record?.expiresAt, zero.record?.createdAt], [null, NOW]);
    assert.deepEqual(zero.notes, [
      ['zero_date', 'expires_at', '0000-00-00 00:00:00'],
      ['zero_date', 'created_at', '0000-00-00 00:00:00'],
    ]);
    const impossible = noted('impossible date');
    assert.equal(impossible.record?.expiresAt, null);
    assert.deepEqual(impossible.notes, [['bad_date', 'expires_at', '2027-02-31 10:00:00']]);
    const undated = noted('no dates');
    assert.deepEqual([undated.record?.createdAt, undated.notes], [NOW, [['no_date', 'created_at', null]]]);
    const numbers = noted('numbers');
    assert.deepEqual(
      [numbers.record?.orderId, numbers.record?.validFor, numbers.record?.activationsLimit],
      [null, 0, 0],
    );
    assert.deepEqual(
      numbers.notes.map(([code, column]) => [code, column]),
      ['order_id', 'valid_for', 'activations_limit'].map((column) => ['out_of_range', column]),
    );
    const status = noted('status');
    assert.deepEqual([status.record?.status, status.record?.source], [4, 4]);
    assert.deepEqual(status.notes, [
      ['unknown_source', 'source', 'shop'],
      ['unknown_status', 'status', '9'],
    ]);
  });

  test('odd activations, metadata and generators', () => {
    for (const { read } of [shops.dlm, shops.lmfwc3]) {
      const at = (index: number) => read.one('activation', 5_000_000 + index);
      const codes = (index: number) => at(index).notes.map(({ code, column }) => `${code} ${column}`);
      for (const index of [0, 1, 2]) {
        assert.equal(at(index).record, null);
        assert.deepEqual(at(index).notes, [{ code: 'bad_row', column: 'token', value: null }]);
      }
      assert.equal(at(3).record?.token, 'Any-Text_that.is/printable ✓');
      for (const index of [4, 5, 6])
        assert.deepEqual([at(index).record?.meta, codes(index)], [null, ['bad_meta meta_data']]);
      assert.deepEqual(codes(7), ['unknown_source source', 'cut user_agent', 'no_date created_at']);
      assert.deepEqual([at(7).record?.userAgent, at(7).record?.source], ['ü'.repeat(512), 3]);
      assert.equal(at(8).record?.licenseId, 999_999_999);
      assert.deepEqual([at(9).record?.label, codes(9)], ['ab', ['unstorable label']]);
      assert.deepEqual([at(10).record?.deactivatedAt, codes(10)], [NOW, ['zero_date deactivated_at']]);
      assert.equal(read.one('generator', 3).record, null);
      assert.deepEqual(read.one('generator', 3).notes, [{ code: 'bad_row', column: 'chunks', value: '101' }]);
      assert.deepEqual(read.one('generator', 2).record, {
        ...{ name: 'Prefix', charset: 'A\'"\\', chunks: 1, chunkLength: 100, separator: '' },
        ...{ prefix: 'P-', suffix: '-S', activationsLimit: 0, expiresIn: 0 },
        ...{ createdAt: NOW, createdBy: 0, updatedAt: null, updatedBy: null },
      });
      const meta = [1, 2, 3, 4, 5].map((id) => read.one('license_meta', id));
      assert.deepEqual(
        meta.map(({ record }) => record?.value),
        ['17', 'a:3:{i:0;s:1:"a";i:1;s:4:"it\'s";i:2;s:2:"ü";}', undefined, null, undefined],
      );
      assert.deepEqual(
        meta.map(({ notes }) => notes[0]?.column),
        [undefined, undefined, 'meta_key', undefined, 'meta_value'],
      );
    }
    assert.deepEqual([...shops.dlm.read.shop.left()], [['wp_dlm_product_downloads', 3]]);
  });

  test('API keys: endpoints of each plugin, and what they cannot do', () => {
    const { one } = shops.dlm.read;
    assert.deepEqual(one('api_key', 2).record?.endpoints, [
      'licenses.get',
      ...['licenses.activate', 'licenses.deactivate', 'licenses.validate'],
    ]);
    assert.deepEqual(one('api_key', 3).record?.endpoints, ['licenses.create', 'licenses.inspect']);
    assert.deepEqual(one('api_key', 3).notes[0]?.value, '099');
    assert.equal(one('api_key', 4).record, null);
    assert.deepEqual(one('api_key', 4).notes[0]?.code, 'no_endpoints');
    const permissions = [1, 2, 3].map((id) => one('api_key', id).record?.permission);
    assert.deepEqual(permissions, ['read_write', 'read', 'write']);

    const shipped = ['licenses.activate', 'licenses.deactivate', 'licenses.validate'];
    const of2 = shops.lmfwc2.read.one('api_key', 1);
    assert.deepEqual(of2.record?.endpoints?.toSorted(), [
      ...['licenses.activate', 'licenses.deactivate', 'licenses.get', 'licenses.inspect', 'licenses.list'],
      'licenses.validate',
    ]);
    const of3 = shops.lmfwc3.read.one('api_key', 1);
    assert.deepEqual(of3.record?.endpoints, ['licenses.get', ...shipped]);
    assert.deepEqual([of2.record?.lmfwcVersion, of3.record?.lmfwcVersion], [2, 3]);
    assert.deepEqual(of2.notes, []);
    assert.equal(shops.lmfwc3.read.one('api_key', 4).record, null);
  });

  test('activations that LMFWC only counts become placeholders, with the same ids each time', async () => {
    const { read, expected, files } = shops.lmfwc2;
    for (const row of expected.filter(({ odd }) => UNCHANGED.includes(odd)).slice(0, 40)) {
      const ids = Array.from({ length: Number(row.times_activated) }, (_, n) => -(row.id * 2 ** 20 + n + 1));
      for (const id of ids) assert.equal(read.one('activation', id).record?.licenseId, row.id);
      const all = read.records.filter((one) => one.kind === 'activation' && one.record?.licenseId === row.id);
      assert.equal(all.length, ids.length);
    }
    const again = await readShop({ database: mariadb.url('lmfwc2') }, files, { plugin: 'lmfwc' });
    assert.deepEqual(comparable(again), comparable(read));
    const random = [read, again].map(({ one }) => one('activation', -(2 ** 20 + 1)).record?.token);
    assert.notEqual(random[0], random[1]);
    const placeholders = shops.lmfwc3.read.records.filter(({ id }) => id < 0);
    assert.equal(placeholders.length, LICENSES / 20);
  });
});

suite('dumps of it', () => {
  const FORMS = [[], ['--skip-extended-insert', '--complete-insert'], ['--compact', '--hex-blob']];
  for (const { name, plugin, files, read } of Object.values(shops)) {
    test(`${name}: the same records and digests as in the database`, async () => {
      for (const flags of FORMS) {
        const file = join(files, 'dump.sql');
        mariadb.dump(name, file, flags);
        if (flags.length > 1) writeFileSync(file, gzipSync(readFileSync(file)));
        const dumped = await readShop({ dump: file }, files, { plugin });
        assert.deepEqual(comparable(dumped), comparable(read), flags.join(' '));
        assert.deepEqual([dumped.shop.id, dumped.shop.left()], [read.shop.id, read.shop.left()]);
      }
    });
  }

  test('LMFWC without the options of WordPress: its API keys get what programs need', async () => {
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

  test('errors name no password', async () => {
    const url = new URL(mariadb.url('dlm'));
    url.password = 'wrong-secret';
    const failures = [
      url.href,
      mariadb.url('no_such_database'),
      `${mariadb.url('dlm')}?ssl-mode=required`,
      `${mariadb.url('dlm')}?ssl=true`,
      mariadb.url('dlm').replace('mysql:', 'postgres:'),
      mariadb.url('dlm').replace('%25', '%'),
      mariadb.url(''),
    ];
    for (const failure of failures)
      await assert.rejects(open(failure), ({ stack = '', message }: Error) => {
        assert.doesNotMatch(`${stack} ${message}`, /wrong-secret|p(?:@|%40)ss/);
        return /Access denied|Unknown database|secure connection|unknown option|form mysql|%25|name a database/.test(
          message,
        );
      });
    await assert.rejects(open(mariadb.url('dlm'), 'lmfwc'), /no table …lmfwc_licenses/);
  });

  test('reads one moment, and changes nothing', async () => {
    const shop = await open(mariadb.url('dlm'));
    mariadb.query('delete from wp_dlm_license_meta where meta_id = 1', 'dlm');
    const records: ShopRecord[] = [];
    let last = 0;
    for await (const one of shop.records(new AbortController().signal, (part) => (last = part)))
      records.push(one);
    await shop.close();
    assert.deepEqual([records.length, last], [shops.dlm.read.records.length, 1]);
  });

  test('an abort ends it, also while rows are on their way', async () => {
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

suite('the way back', () => {
  test('what is written is read again, from SQL, from MariaDB, and by PHP', async () => {
    const folder = temporaryFolder();
    const secrets = makeSecrets();
    for (const [name, content] of Object.entries(secretFiles(secrets)))
      writeFileSync(join(folder, name), content);
    const file = join(folder, 'shop.sql');
    const moved = shops.dlm.read.records.filter(({ record }) => record !== null);
    async function* all() {
      yield* moved;
    }
    const written = await writeShop(all(), secrets, (sql) => appendFile(file, sql), 'back_');
    const kept = moved.filter(({ kind }) => kind !== 'api_key');
    assert.equal(written.leftOut, 3);
    assert.equal(
      written.license + written.activation + written.generator + written.license_meta,
      kept.length,
    );

    mariadb.query('create database back');
    mariadb.load(file, 'back');
    const content = (records: readonly ShopRecord[]) =>
      comparable({ records: [...records] }).map(({ kind, id, record }) => ({ kind, id, record }));
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
