import assert from 'node:assert/strict';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { temporaryFolder } from '../../../test/support/folder.ts';
import { StoreUnavailable } from '../store.ts';
import { SqliteConnection } from './connection.ts';
import { SqliteReader } from './reader.ts';

/** A reader of a table with the numbers 1 to 2,000, and a connection that writes to the table. */
function opened(t: TestContext) {
  const file = join(temporaryFolder(), 'latchkey.db');
  const writer = new SqliteConnection(file, { readOnly: false, timeout: 100 });
  t.after(() => writer.close());
  writer.exec(`create table numbers (n integer primary key) strict;
    with recursive all_of(n) as (select 1 union all select n + 1 from all_of where n < 2000)
    insert into numbers select n from all_of`);
  const connection = new SqliteConnection(file, { readOnly: true, timeout: 100 });
  return { file, writer, connection, reader: new SqliteReader(connection) };
}

const one = (reader: SqliteReader, n: number) =>
  reader.execute('select n from numbers where n = ?', [n]).then(({ rows }) => rows);
const upTo = (reader: SqliteReader, n: number) =>
  reader.execute('select n from numbers where n <= ? order by n', [n]).then(({ rows }) => rows);
const numbers = (count: number) => Array.from({ length: count }, (_, i) => ({ n: i + 1 }));

test('1,000 concurrent reads each return their own rows', async (t) => {
  const { reader } = opened(t);
  const wanted = Array.from({ length: 1_000 }, (_, i) => i + 1);
  assert.deepEqual(
    await Promise.all(wanted.map((n) => one(reader, n))),
    wanted.map((n) => [{ n }]),
  );
  reader.close();
});

test('reads of more rows than one round holds return all of them', async (t) => {
  const { reader } = opened(t);
  const wanted = [2_000, 0, 255, 256, 257, 1, 2_000, 700, 3];
  assert.deepEqual(await Promise.all(wanted.map((n) => upTo(reader, n))), wanted.map(numbers));
  reader.close();
});

test('a failing read rejects alone', async (t) => {
  const { reader } = opened(t);
  const [before, bad, wrong, after] = await Promise.allSettled([
    one(reader, 1),
    reader.execute('select nothing from nowhere', []),
    reader.execute('select ? as n', [Symbol('of no type')]),
    one(reader, 2),
  ]);
  assert.deepEqual(before, { status: 'fulfilled', value: [{ n: 1 }] });
  assert.deepEqual([bad?.status, wrong?.status], ['rejected', 'rejected']);
  assert.deepEqual(after, { status: 'fulfilled', value: [{ n: 2 }] });
  reader.close();
});

test('a disk error fails the read that meets it, and no other', async (t) => {
  const { file, writer, reader } = opened(t);
  // SQLite reports a truncated log as a disk error.
  writer.exec('create table lost (n integer) strict; pragma wal_checkpoint(truncate)');
  writer.exec('insert into lost values (1)');
  truncateSync(`${file}-wal`);
  const ends = await Promise.allSettled([
    one(reader, 1),
    reader.execute('select n from lost', []),
    one(reader, 2),
  ]);
  assert.deepEqual(ends[0], { status: 'fulfilled', value: [{ n: 1 }] });
  assert.ok(ends[1]?.status === 'rejected' && ends[1].reason instanceof StoreUnavailable);
  assert.deepEqual(ends[2], { status: 'fulfilled', value: [{ n: 2 }] });
});

test('chains of dependent reads all complete', async (t) => {
  const { reader } = opened(t);
  const chain = async (first: number) => {
    for (let n = first; n < first + 50; n++) assert.deepEqual(await one(reader, n), [{ n }]);
    return (await Promise.all([one(reader, first), upTo(reader, first)])).flat().length;
  };
  const ends = await Promise.all(Array.from({ length: 40 }, (_, i) => chain(i + 1)));
  assert.deepEqual(
    ends,
    Array.from({ length: 40 }, (_, i) => i + 2),
  );
  reader.close();
});

test('an endless chain of reads does not block the event loop', async (t) => {
  const { reader } = opened(t);
  let [isOver, reads] = [false, 0];
  const endless = (async () => {
    while (!isOver && reads < 10_000) {
      await one(reader, 1);
      reads++;
    }
  })();
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  isOver = true;
  await endless;
  assert.ok(reads < 10_000, `${reads} reads in five turns`);
  reader.close();
});

test('a read sees what was committed before it was requested', async (t) => {
  const { writer, reader } = opened(t);
  for (let n = 2_001; n <= 2_020; n++) {
    const concurrent = [one(reader, 1), one(reader, 2)];
    writer.run('insert into numbers values (?)', [n]);
    assert.deepEqual(await one(reader, n), [{ n }]);
    await Promise.all(concurrent);
    writer.run('delete from numbers where n = ?', [n]);
    assert.deepEqual(await Promise.all([one(reader, n), one(reader, n)]), [[], []]);
  }
  reader.close();
});

test('close runs the waiting reads and rejects later ones', async (t) => {
  const { reader } = opened(t);
  const waiting = Array.from({ length: 100 }, (_, i) => one(reader, i + 1));
  reader.close();
  const late = [one(reader, 1), one(reader, 2)];
  assert.deepEqual(
    await Promise.all(waiting),
    numbers(100).map((row) => [row]),
  );
  for (const refused of await Promise.allSettled(late)) assert.equal(refused.status, 'rejected');
  await assert.rejects(one(reader, 3));
});

test('a trigger that somebody put into the file calls only functions without side effects', (t) => {
  const { file, writer } = opened(t);
  writer.exec('create trigger told after insert on numbers begin select fts5(1); end');
  assert.throws(() => writer.run('insert into numbers values (?)', [3_000]), /unsafe use of fts5\(\)/);
  // A connection without the protection calls the function.
  const other = new DatabaseSync(file);
  other.exec('insert into numbers values (3000)');
  other.close();
});
