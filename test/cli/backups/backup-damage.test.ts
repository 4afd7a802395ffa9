import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Header } from 'tar/header';
import { openBackup } from '../../../src/app/backups/open-backup.ts';
import { verifyBackup } from '../../../src/app/backups/verify-backup.ts';
import { ArchiveDamaged } from '../../../src/archive/archive.ts';
import { openTar } from '../../../src/archive/tar.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { startService } from '../../support/service.ts';
import { createCli, migratedCli } from '../cli.ts';
import { backUp, verified } from './backups.ts';
import { type Entry, entriesIn, pack, withPacked, withRows } from './crafted.ts';

const folder = temporaryFolder();
const cli = await migratedCli();
const api = await startService({ after }, { dataDir: cli.dataDir });
const { id } = await api.software();
for (const version of ['1', '2'])
  await api.release(id, { version, file: new File([version.repeat(3_000)], 'a.zip') });
for (let nth = 0; nth < 4; nth++) await api.activation((await api.license()).license_key, { software: id });
await api.ok('DELETE', `/licenses/${(await api.ok('GET', '/licenses'))[0].license_key}`);
await api.stop();
const whole = readFileSync((await backUp(cli)).file);

/** The problems that verify finds; an empty list if there are none. */
async function problemsOf(bytes: Buffer): Promise<string[]> {
  const file = join(folder, 'changed.tar');
  writeFileSync(file, bytes);
  try {
    const archive = await openTar(file);
    try {
      return (await verifyBackup(await openBackup(archive), async () => {}, null)).problems;
    } finally {
      await archive.close();
    }
  } catch (error) {
    assert.ok(error instanceof ArchiveDamaged, String((error as Error).stack));
    return [error.message];
  }
}

/** Pseudo-random numbers, the same in each run. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    yield ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

const [FLIPS, CUTS] = [60, 30];
/** Returns a place in one of `parts` equal parts of the backup. @param share how far into that part: 0 up to 1 */
const placeIn = (nth: number, parts: number, share: number): number =>
  Math.floor(((nth + share) * whole.length) / parts);

test('verify finds a flipped bit anywhere in a backup', async () => {
  assert.deepEqual(await problemsOf(whole), []);
  const random = numbers(20261121);
  const next = () => random.next().value as number;
  for (let nth = 0; nth < FLIPS; nth++) {
    const at = placeIn(nth, FLIPS, next());
    const bit = Math.floor(next() * 8);
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] as number) ^ (1 << bit);
    assert.ok((await problemsOf(changed)).length > 0, `bit ${bit} of byte ${at} of ${whole.length}`);
  }
});

test('verify finds a truncated backup, and bytes after the end', async () => {
  const random = numbers(7);
  const lengths = Array.from({ length: CUTS }, (_, nth) => placeIn(nth, CUTS, random.next().value as number));
  for (const length of [
    0,
    1,
    511,
    512,
    1024,
    whole.length - 1024,
    whole.length - 512,
    whole.length - 1,
    ...lengths,
  ])
    assert.ok((await problemsOf(whole.subarray(0, length))).length > 0, `${length} of ${whole.length}`);
  for (const more of [1, 512, 10_240])
    assert.ok((await problemsOf(Buffer.concat([whole, Buffer.alloc(more)]))).length > 0);
});

async function entriesOf(): Promise<Entry[]> {
  const file = join(folder, 'whole.tar');
  writeFileSync(file, whole);
  return entriesIn(file);
}

let count = 0;
/** @param summed whether to compute all checksums anew, as an attacker would */
const packed = async (entries: readonly Entry[], summed: boolean): Promise<Buffer> =>
  readFileSync(await pack(join(folder, `${++count}.tar`), entries, summed));

test('verify finds entries that are missing, added, renamed or exchanged', async () => {
  const entries = await entriesOf();
  assert.deepEqual(await problemsOf(await packed(entries, false)), []);
  assert.deepEqual(await problemsOf(await packed(entries, true)), []);
  for (const summed of [false, true]) {
    for (const [i, [name]] of entries.entries()) {
      if (name === 'SHA256SUMS' && summed) continue;
      const what = `${name}${summed ? ', with its sums' : ''}`;
      assert.ok(
        (await problemsOf(await packed(entries.toSpliced(i, 1), summed))).length > 0,
        `without ${what}`,
      );
      const renamed = entries.with(i, [`${name}x`, (entries[i] as Entry)[1]]);
      assert.ok((await problemsOf(await packed(renamed, summed))).length > 0, `another name for ${what}`);
      const added: Entry = [`${name}.more`, Buffer.from('more')];
      assert.ok(
        (await problemsOf(await packed(entries.toSpliced(i, 0, added), summed))).length > 0,
        `more before ${what}`,
      );
      const other = entries[(i + 1) % entries.length] as Entry;
      if (other[0] === 'SHA256SUMS' && summed) continue;
      const places = entries.with(i, other).with((i + 1) % entries.length, entries[i] as Entry);
      assert.ok((await problemsOf(await packed(places, summed))).length > 0, `another place for ${what}`);
      const contents = entries
        .with(i, [name, other[1]])
        .with((i + 1) % entries.length, [other[0], (entries[i] as Entry)[1]]);
      assert.ok((await problemsOf(await packed(contents, summed))).length > 0, `other bytes for ${what}`);
    }
  }
});

/** The problems of the backup with another table, and with all counts and checksums adjusted. */
async function withTable(
  table: string,
  change: (lines: unknown[][], columns: string[]) => void,
): Promise<string[]> {
  return problemsOf(await packed(withRows(await entriesOf(), table, change), true));
}

test('verify finds rows that refer to nothing, files without a row and keys that do not open, despite valid checksums', async () => {
  assert.deepEqual(await withTable('licenses', () => {}), []);
  assert.match(
    (await withTable('licenses', (lines) => void lines.shift()))[0] ?? '',
    /^tables\/activations: a row has license_id 1, but tables\/licenses has no row with that id$/,
  );
  assert.match(
    (await withTable('artifacts', (lines) => void lines.pop())).join(),
    /tables\/releases: a row has artifact_id 2, .*,artifacts\/[0-9a-f]{2}\/.*: tables\/artifacts has no such file/,
  );
  const other = (column: string, value: unknown) => (lines: unknown[][], columns: string[]) => {
    (lines[0] as unknown[])[columns.indexOf(column)] = value;
  };
  assert.match(
    (await withTable('artifacts', other('size', 2_999)))[0] ?? '',
    /is not the file that tables\/artifacts describes/,
  );
  assert.match(
    (await withTable('artifacts', other('storage_key', `00/${'0'.repeat(64)}.a-1`)))[0] ?? '',
    /is missing: tables\/artifacts refers to it/,
  );
  assert.match(
    (await withTable('users', (lines) => void lines[0]?.pop()))[0] ?? '',
    /tables\/users\/000001\.jsonl\.gz has an invalid row/,
  );
  // Without the table `meta`, nobody knows which master key is the right one.
  await withTable('meta', (lines) => void lines[0]?.pop());
  const own = ['--master-key-file', join(cli.dataDir, 'master.key')];
  const unknown = await verified(cli, join(folder, 'changed.tar'), false, own);
  assert.match(unknown.problems.join(), /^tables\/meta\/000001\.jsonl\.gz has an invalid row: [^,]*$/);
  assert.equal(unknown.license_keys.not_opened, 'the table meta cannot be read');

  for (const [table, column, what] of [
    ['licenses', 'sealed_key', 'key of the license with id 1'],
    ['licenses', 'key_hash', 'key of the license with id 1'],
    ['trashed_licenses', 'sealed_key', 'key of the license with id 4'],
    ['trashed_activations', 'sealed_token', 'token of the activation with id 4'],
  ] as const) {
    assert.deepEqual(await withTable(table, other(column, { bytes: '00'.repeat(32) })), []);
    const { problems } = await verified(cli, join(folder, 'changed.tar'), false);
    assert.deepEqual(problems, [`tables/${table}: the ${what} cannot be opened`]);
  }
});

test('verify finds a row that names a file outside the storage, and restore refuses it', async () => {
  for (const key of ['../master.key', 'ab/../../master.key', '/etc/passwd', `00/${'0'.repeat(64)}./../a`]) {
    const named = `the row of artifacts with id 1 names no file of a release: "${key}"`;
    const problems = await withTable('artifacts', (lines, columns) => {
      (lines[0] as unknown[])[columns.indexOf('storage_key')] = key;
    });
    assert.ok(problems.includes(named), problems.join());
    const to = createCli(join(temporaryFolder(), 'restored'));
    const file = [
      'restore',
      join(folder, 'changed.tar'),
      '--master-key-file',
      join(cli.dataDir, 'master.key'),
    ];
    assert.ok((await to.fails(1, file)).includes(`Nothing was restored: ${named}.`));
    assert.equal((await to.run(['license', 'list'])).code, 3, 'there is no database');
  }
});

test('restore refuses a damaged backup and restores no part of it', async () => {
  const entries = await entriesOf();
  const nth = entries.findIndex(([name]) => name.startsWith('tables/releases'));
  const bytes = Buffer.from((entries[nth] as Entry)[1]);
  bytes[20] = (bytes[20] as number) ^ 1;
  writeFileSync(
    join(folder, 'damaged.tar'),
    await packed(entries.with(nth, [(entries[nth] as Entry)[0], bytes]), false),
  );
  const to = createCli(join(temporaryFolder(), 'restored'));
  const key = ['--master-key-file', join(cli.dataDir, 'master.key')];
  assert.match(
    await to.fails(1, ['restore', join(folder, 'damaged.tar'), ...key]),
    /The backup is damaged: tables\/releases\/000001\.jsonl\.gz was changed/,
  );
  assert.equal((await to.run(['license', 'list'])).code, 3, 'there is no database');
});

test('a manifest that claims more entries than the file has is refused at the first missing entry', async () => {
  for (const entries of [1e9, Number.MAX_SAFE_INTEGER]) {
    const changed = (await entriesOf()).map(([name, bytes]): Entry => {
      if (name !== 'manifest.json') return [name, bytes];
      const manifest = JSON.parse(String(bytes));
      manifest.tables[0].entries = entries;
      return [name, Buffer.from(JSON.stringify(manifest))];
    });
    assert.deepEqual(await problemsOf(await packed(changed, true)), [
      'tables/meta/000002.jsonl.gz is missing, or not in its place',
    ]);
  }
});

/** Compresses a text once and repeats it: gzip unpacks concatenated members one after the other. */
const repeated = (text: string, times: number): Buffer =>
  Buffer.concat(Array<Buffer>(times).fill(gzipSync(text)));
const MIB = 1024 ** 2;

test('a table that unpacks to a thousand times its size is refused without being held in memory', async () => {
  const bombs: [what: string, packed: Buffer, problem: RegExp][] = [
    ['empty lines', repeated('\n'.repeat(8 * MIB), 30), /has an invalid row/],
    ['one row', repeated('a'.repeat(8 * MIB), 128), /has a row of more than 16777216 characters/],
    ['rows', repeated(`["${'a'.repeat(MIB)}","b"]\n`, 257), /unpacks to more than 268435456 bytes/],
  ];
  for (const [what, bytes, problem] of bombs) {
    assert.ok(bytes.length < 2 * MIB, what);
    const file = await packed(withPacked(await entriesOf(), 'meta', bytes), true);
    assert.match((await problemsOf(file)).join(), problem, what);
  }
  const [, bytes, problem] = bombs[0] as (typeof bombs)[0];
  writeFileSync(join(folder, 'bomb.tar'), await packed(withPacked(await entriesOf(), 'meta', bytes), true));
  const key = ['--master-key-file', join(cli.dataDir, 'master.key')];
  const to = createCli(join(temporaryFolder(), 'restored'));
  assert.match(await to.fails(1, ['restore', join(folder, 'bomb.tar'), ...key]), problem);
});

test('verify finds repeated rows without keeping their ids in memory', async () => {
  const problems = await withTable('licenses', (lines) => void lines.push(...Array(3).fill(lines.at(-1))));
  assert.ok(problems.includes('tables/licenses: the row with id 3 is not in order'), problems.join());
});

test('a header, checksum list or size that is too large is refused before it is read', async () => {
  const withBytes = async (wanted: string, bytes: Buffer) =>
    (await entriesOf()).map(([name, own]): Entry => [name, name === wanted ? bytes : own]);
  const head = await withBytes('backup.json', Buffer.alloc(65 * 1024, ' '));
  assert.deepEqual(await problemsOf(await packed(head, true)), ['backup.json is too large']);
  const sums = await withBytes('SHA256SUMS', Buffer.alloc(MIB, '\n'));
  assert.deepEqual(await problemsOf(await packed(sums, false)), ['SHA256SUMS is too large']);
  for (const size of [-512, -1024, 2 ** 33]) {
    const header = Buffer.alloc(512);
    new Header({ path: 'a', mode: 0o600, uid: 0, gid: 0, size, mtime: new Date(0), type: 'File' }).encode(
      header,
    );
    const [problem = ''] = await problemsOf(Buffer.concat([header, Buffer.alloc(1024)]));
    assert.match(problem, /^the (header|file) /, String(size));
  }
});

test('texts in a backup cannot control the terminal', async () => {
  const entries = (await entriesOf()).map(([name, bytes]): Entry => {
    if (name !== 'manifest.json') return [name, bytes];
    const manifest = JSON.parse(String(bytes));
    manifest.migrations.push('\u001b[2J\u009b1m');
    return [name, Buffer.from(JSON.stringify(manifest))];
  });
  writeFileSync(join(folder, 'named.tar'), await packed(entries, true));
  const key = ['--master-key-file', join(cli.dataDir, 'master.key')];
  const to = createCli(join(temporaryFolder(), 'restored'));
  for (const [flags, escaped] of [
    [[], '\\u{1b}[2J\\u{9b}1m'],
    [['--json'], '\\u001b[2J\\u009b1m'],
  ] as const) {
    const told = await to.fails(1, ['restore', join(folder, 'named.tar'), ...key, ...flags]);
    assert.ok(told.includes(escaped), JSON.stringify(told));
    assert.ok(!told.includes('\u001b') && !told.includes('\u009b'));
  }
});
