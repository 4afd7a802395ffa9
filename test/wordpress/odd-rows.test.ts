import assert from 'node:assert/strict';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { recordOf } from '../../src/wordpress/records.ts';

import {
  comparable,
  type Expected,
  eachShop,
  expectedOf,
  NOW,
  readShop,
  UNCHANGED,
} from '../support/wordpress/shop.ts';

const LICENSES = 340;
const NO_KEY = new Uint8Array(32);
const READING = {
  ...({ plugin: 'dlm', version: 2, settings: null } as const),
  secrets: { encryptionKey: NO_KEY, hashKey: NO_KEY },
  customers: { users: new Map<number, string>(), orders: new Map<number, string>() },
};
const LMFWC = { ...READING, plugin: 'lmfwc', now: NOW } as const;
const shops = await eachShop(LICENSES, async (_name, plugin, files) => {
  const read = await readShop({ dump: join(files, 'shop.sql') }, files, { plugin });
  return { files, read, expected: expectedOf(files) };
});

suite('odd rows of shops', () => {
  test('odd licenses are moved with a note, or lost if their key is unusable', () => {
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

    // The first user has a malformed address, the second one was erased but the order has an address.
    const emails = [4, 7].map((id) => read.one('license', id));
    assert.deepEqual(
      emails.map(({ record, notes }) => [
        record?.customerEmail,
        notes.map(({ code, value }) => [code, value]),
      ]),
      [
        [null, [['bad_email', 'nobody']]],
        ['ørder-5007@example.com', []],
      ],
    );

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

  test('odd activations, metadata and generators are moved with a note or left out', () => {
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
        name: 'Prefix',
        charset: 'A\'"\\',
        chunks: 1,
        chunkLength: 100,
        separator: '',
        prefix: 'P-',
        suffix: '-S',
        activationsLimit: 0,
        expiresIn: 0,
        createdAt: NOW,
        createdBy: 0,
        updatedAt: null,
        updatedBy: null,
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

  test('API keys get the endpoints of each plugin; unknown or unusable routes are noted', () => {
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

    const of2 = shops.lmfwc2.read.one('api_key', 1);
    assert.deepEqual(of2.record?.endpoints?.toSorted(), [
      ...['licenses.activate', 'licenses.deactivate', 'licenses.get', 'licenses.inspect', 'licenses.list'],
      'licenses.validate',
    ]);
    const of3 = shops.lmfwc3.read.one('api_key', 1);
    assert.deepEqual(of3.record?.endpoints, [
      'licenses.get',
      ...['licenses.activate', 'licenses.deactivate', 'licenses.validate'],
    ]);
    assert.deepEqual([of2.record?.lmfwcVersion, of3.record?.lmfwcVersion], [2, 3]);
    assert.deepEqual(of2.notes, []);
    assert.equal(shops.lmfwc3.read.one('api_key', 4).record, null);
  });

  test('the digest of an LMFWC license leaves out what LMFWC changes at each activation', () => {
    const read = (updatedAt: string, plugin: 'dlm' | 'lmfwc') => {
      const row = { id: Buffer.from('1'), updated_at: Buffer.from(updatedAt), updated_by: Buffer.from('2') };
      return recordOf('license', 'licenses', row, { ...LMFWC, plugin });
    };
    const [before, after] = [read(NOW, 'lmfwc'), read('2026-12-01 00:00:00', 'lmfwc')];
    assert.deepEqual(before.digest, after.digest);
    assert.deepEqual(after.formerDigest, read('2026-12-01 00:00:00', 'dlm').digest);
    assert.notDeepEqual(after.formerDigest, before.formerDigest);
    assert.equal(read(NOW, 'dlm').formerDigest, undefined);
  });

  test("the digest of an LMFWC API key covers the plugin's enabled routes and version, and no other setting", () => {
    const digest = (version: 2 | 3, settings: string | null) =>
      Buffer.from(
        recordOf('api_key', 'lmfwc_api_keys', { id: Buffer.from('1') }, { ...LMFWC, version, settings })
          .digest,
      ).toString('hex');
    const enabled = (...routes: string[]) =>
      `s:24:"lmfwc_enabled_api_routes";a:${routes.length}:{${routes.map((id) => `s:3:"${id}";s:1:"1";`).join('')}}`;
    const hidden = 's:23:"lmfwc_hide_license_keys";s:1:"1";';
    const before = digest(2, `a:1:{${enabled('010', '014')}}`);
    assert.equal(digest(2, `a:2:{${hidden}${enabled('014', '010')}}`), before);
    const others = [digest(3, `a:1:{${enabled('010', '014')}}`), digest(2, `a:1:{${enabled('010')}}`)];
    assert.equal(new Set([before, ...others, digest(2, null)]).size, 4);
  });

  test('activations that LMFWC only counts become placeholders, with the same ids each time', async () => {
    const { read, expected, files } = shops.lmfwc2;
    for (const row of expected.filter(({ odd }) => UNCHANGED.includes(odd)).slice(0, 40)) {
      const ids = Array.from({ length: Number(row.times_activated) }, (_, n) => -(row.id * 2 ** 20 + n + 1));
      for (const id of ids) assert.equal(read.one('activation', id).record?.licenseId, row.id);
      const all = read.records.filter((one) => one.kind === 'activation' && one.record?.licenseId === row.id);
      assert.equal(all.length, ids.length);
    }
    const again = await readShop({ dump: join(files, 'shop.sql') }, files, { plugin: 'lmfwc' });
    assert.deepEqual(comparable(again), comparable(read));
    const random = [read, again].map(({ one }) => one('activation', -(2 ** 20 + 1)).record?.token);
    assert.notEqual(random[0], random[1]);
    const placeholders = shops.lmfwc3.read.records.filter(({ id }) => id < 0);
    assert.equal(placeholders.length, LICENSES / 20);
  });

  test("invalid UTF-8 is not moved: the row of a license's metadata, or the metadata of an activation, is left out", () => {
    const broken = (text: string) => Buffer.from(text, 'latin1');
    const row = {
      id: broken('1'),
      license_id: broken('1'),
      token: broken('a'.repeat(40)),
      source: broken('1'),
    };
    const reading = { ...READING, now: NOW };
    const meta = { ...row, meta_id: row.id, meta_key: broken('k'), meta_value: broken('s:2:"a\xff";') };
    const { record, notes } = recordOf('license_meta', 'table', meta, reading);
    assert.deepEqual(
      [record, notes.map(({ code, column }) => [code, column])],
      [null, [['bad_row', 'meta_value']]],
    );
    const activation = {
      ...row,
      created_at: broken('2026-01-01 00:00:00'),
      meta_data: broken('{"a":"\xff"}'),
    };
    const read = recordOf('activation', 'table', activation, reading);
    assert.deepEqual(
      read.notes.map(({ code, column }) => [code, column]),
      [['bad_meta', 'meta_data']],
    );
  });
});
