import assert from 'node:assert/strict';
import { createHmac, hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { temporaryFolder } from '../support/folder.ts';
import { readShop } from '../support/wordpress/shop.ts';

// A dump of a shop filled by the plugin itself (DLM 1.8.3, MariaDB 10.11).
const FOLDER = join(import.meta.dirname, 'dlm-1.8.3');
const DUMP = join(FOLDER, 'dump.sql');
const CONSUMER_KEY = 'ck_2479305f88827245c776b2ca3b9d55edd2866bfd';
const CONSUMER_SECRET = 'cs_aa14624fed2fac43a624a12ff838a8201aa71b0e';

const read = await readShop({ dump: DUMP }, FOLDER);
const sql = readFileSync(DUMP, 'utf8');

/** Writes a changed copy of the dump to a separate file. */
function changed(change: (text: string) => string | Buffer, name = 'dump.sql'): { dump: string } {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, change(sql));
  return { dump: file };
}

const refused = (from: { dump: string }, message: RegExp, options = {}) =>
  assert.rejects(
    readShop(from, FOLDER, options),
    ({ message: said }: Error) => message.test(said) || assert.fail(said),
  );

suite('a dump of a shop that the plugin filled', () => {
  test('has the licenses, tokens, limits and dates that the plugin shows', () => {
    const lines = readFileSync(join(FOLDER, 'expected.tsv'), 'utf8').trim().split('\n');
    assert.equal(lines.length, 40);
    for (const [index, line] of lines.entries()) {
      const [key, token, limit, expiresAt] = line.split('\t');
      const { record: license } = read.one('license', index + 1);
      const { record: activation } = read.one('activation', index + 1);
      assert.deepEqual(
        [
          license?.key,
          activation?.token,
          activation?.licenseId,
          license?.activationsLimit,
          license?.expiresAt ?? '-',
        ],
        [key, token, index + 1, Number(limit), expiresAt],
      );
      assert.equal(license?.createdAt, '2026-11-22 09:22:48');
    }
    const odd = [1001, 1002, 1003, 1004].map((id) => read.one('license', id).record);
    assert.deepEqual(
      odd.map((license) => [license?.orderId, license?.productId, license?.userId, license?.status]),
      Array(4).fill([77, 12, 1, 3]),
    );
    assert.ok(odd.some((license) => license?.key === "quote'3"));
  });

  test('has a deactivated activation, metadata, generators and the API key', () => {
    assert.equal(read.one('activation', 10).record?.deactivatedAt, '2026-11-22 11:14:32');
    const again = read.one('activation', 1001).record;
    assert.deepEqual([again?.licenseId, again?.label, again?.meta], [20, 'Site A', { os: 'linux', v: 1.2 }]);
    const generator = read.one('generator', 2).record;
    assert.deepEqual([generator?.name, generator?.charset, generator?.expiresIn], ['Gen', 'ABC123', 365]);
    const key = read.one('api_key', 1).record;
    assert.deepEqual(key?.keyHash, createHmac('sha256', 'wc-api').update(CONSUMER_KEY).digest());
    assert.deepEqual(key?.secretHash, hash('sha256', CONSUMER_SECRET, 'buffer'));
    assert.deepEqual([key?.keyEnding, key?.permission], ['2866bfd', 'read_write']);
    assert.equal(key?.endpoints?.length, 15);
    assert.ok(key?.endpoints?.includes('licenses.inspect'));
  });

  test('has no odd rows, and hashes keyed with the characters of secret.txt', () => {
    assert.deepEqual(
      read.records.filter(({ notes }) => notes.length > 0),
      [],
    );
    assert.deepEqual(read.shop.hashKey, readFileSync(join(FOLDER, 'secret.txt')));
    assert.deepEqual([read.records.length, read.shop.left()], [93, new Map()]);
    assert.match(read.shop.id, /^[0-9a-f]{16}$/);
  });
});

suite('digests', () => {
  test('stay the same after a use of an API key, and differ after every other change', async () => {
    const digestOf = async (
      kind: 'license' | 'api_key' | 'activation',
      id: number,
      from: string,
      to: string,
    ) => {
      assert.ok(sql.includes(from), from);
      const { one } = await readShop(
        changed((text) => text.replace(from, to)),
        FOLDER,
      );
      return one(kind, id).digest;
    };
    const used = `'2866bfd','2026-11-22 11:15:50','2026-11-22 09:22:47',NULL,'2026-11-22 11:15:50'`;
    const later = used.replaceAll('11:15:50', '11:15:51');
    assert.deepEqual(await digestOf('api_key', 1, used, later), read.one('api_key', 1).digest);
    assert.notDeepEqual(
      await digestOf('api_key', 1, `'load test','read_write'`, `'load test','read'`),
      read.one('api_key', 1).digest,
    );
    const device = `'Site A','2'`;
    const { digest } = read.one('activation', 1001);
    assert.notDeepEqual(await digestOf('activation', 1001, device, `'Site B','2'`), digest);
    const unlabelled = await digestOf('activation', 1001, device, `NULL,'2'`);
    assert.notDeepEqual(await digestOf('activation', 1001, device, `'','2'`), unlabelled);
    const row = '(1001,77,12,1,';
    assert.notDeepEqual(
      await digestOf('license', 1001, row, '(1001,7,712,1,'),
      read.one('license', 1001).digest,
    );
  });
});

suite('the email addresses of customers', () => {
  // Insert before the comments that end the dump.
  const end = (text: string, more: string) => {
    const at = text.lastIndexOf('/*!40103 SET TIME_ZONE=@OLD');
    return `${text.slice(0, at)}${more}\n${text.slice(at)}`;
  };
  const emailWith = async (more: string, prefix = 'wp_') => {
    const dump = changed((text) => end(text.replaceAll('wp_dlm', `${prefix}dlm`), more));
    return (await readShop(dump, FOLDER)).one('license', 1001).record?.customerEmail;
  };
  const USERS = 'CREATE TABLE `wp_users` (`ID` bigint, `user_email` text);\n';

  test('come from the users, which the sites of a network share', async () => {
    const users = `${USERS}INSERT INTO \`wp_users\` VALUES (2,'b@example.com'),(1,' Ada@Example.com ');`;
    assert.equal(await emailWith(users), 'Ada@Example.com');
    assert.equal(await emailWith(users, 'wp_2_'), 'Ada@Example.com');
    assert.equal(await emailWith(users.replaceAll('wp_users', 'other_users')), null);
    assert.equal(await emailWith(`USE \`another\`;\n${users}`), null);
  });

  test('are left out if they cannot be read, and the other records are moved', async () => {
    const first = "INSERT INTO `wp_users` VALUES (1,'a@example.com');\n";
    assert.equal(await emailWith(first), null, 'without the column names there is no address');
    for (const row of ["(1,lower('A;@example.com'))", "(1,'a@example.com','more;')"])
      assert.equal(
        await emailWith(`${USERS}INSERT INTO \`wp_users\` VALUES ${row};\n${first.replace('a@', 'b@')}`),
        'b@example.com',
        row,
      );
  });
});

suite('forms of dumps', () => {
  test('a gzip file with Windows line ends, another table order and another prefix has the same records', async () => {
    const parts = sql.replaceAll(/^.*@OLD_.*$/gm, '').split(/(?=DROP TABLE IF EXISTS)/);
    const [head = '', ...tables] = parts;
    const other = [head, ...tables.toReversed()].join('').replaceAll('wp_', 'ab1_').replaceAll('\n', '\r\n');
    const { records, shop } = await readShop(
      changed(() => gzipSync(other), 'dump.sql.gz'),
      FOLDER,
    );
    const sorted = (all: typeof records) =>
      all.toSorted((a, b) => a.kind.localeCompare(b.kind) || a.id - b.id);
    assert.deepEqual(sorted(records), sorted(read.records));
    assert.notEqual(shop.id, read.shop.id, 'sites that share their secrets need different ids');
  });

  test('a dump truncated at any place is refused', async () => {
    const rows = sql.indexOf('(20,');
    const statement = sql.indexOf('UNLOCK TABLES');
    for (const end of [rows, rows + 100, statement, sql.length - 300])
      await refused(
        changed((text) => text.slice(0, end)),
        /truncated/,
      );
    await refused(
      changed((text) => gzipSync(text).subarray(0, 5_000), 'dump.sql.gz'),
      /truncated/,
    );
  });

  test('missing tables, several shops and other character sets are refused by name', async () => {
    await refused(
      changed(() => 'CREATE TABLE `wp_posts` (`ID` int);\n'),
      /no table …dlm_licenses/,
    );
    await refused(
      changed((text) => text.replaceAll('wp_dlm_generators', 'wp_other')),
      /wp_dlm_generators is missing/,
    );
    const two = changed((text) => `${text}\n${text.replaceAll('wp_', 'wp_2_')}`);
    await refused(two, /"wp_", "wp_2_".*--prefix/);
    await refused(two, /"wp_", "wp_2_"/, { prefix: 'x_' });
    const { shop } = await readShop(two, FOLDER, { prefix: 'wp_' });
    assert.equal(shop.id, read.shop.id);
    await refused(
      changed((text) => text + text),
      /in the dump twice/,
    );
    await refused(
      changed((text) => `USE a;\n${text}\nUSE b;\n${text}`),
      /several databases/,
    );
    await refused(
      changed((text) => text.replaceAll('SET NAMES utf8mb4', 'SET NAMES latin1')),
      /latin1/,
    );
    await refused(
      changed((text) => Buffer.from(`\uFEFF${text}`, 'utf16le')),
      /UTF-16/,
    );
  });

  test('metadata of licenses is moved whole, and values that an import would refuse are noted', async () => {
    const [fits, long] = ['ü'.repeat(10_000), 'ü'.repeat(10_001)];
    const rows = `INSERT INTO wp_dlm_license_meta (meta_id, license_id, meta_key, meta_value) VALUES (1,1,'k','${fits}'),(2,1,'k','${long}');`;
    const { one } = await readShop(
      changed((text) => text.replace('LOCK TABLES `wp_dlm_license_meta` WRITE;', `$&\n${rows}`)),
      FOLDER,
    );
    const [first, second] = [one('license_meta', 1), one('license_meta', 2)];
    assert.deepEqual([first.record?.value, second.record?.value], [fits, long]);
    assert.deepEqual(
      [first, second].map(({ notes }) => notes.map(({ code }) => code)),
      [[], ['long_meta']],
    );
  });

  test('metadata that is not an object and an unknown endpoint are noted', async () => {
    const { one } = await readShop(
      changed((text) =>
        text
          .replace(`'{\\"os\\":\\"linux\\",\\"v\\":1.2}'`, `'[1]'`)
          .replace('\\"027\\":\\"1\\"', '\\"050\\":\\"1\\"'),
      ),
      FOLDER,
    );
    assert.deepEqual(one('activation', 1001).notes, [
      { code: 'bad_meta', column: 'meta_data', value: '[1]' },
    ]);
    assert.deepEqual(one('api_key', 1).notes, [
      { code: 'unknown_endpoint', column: 'endpoints', value: '050' },
    ]);
  });
});
