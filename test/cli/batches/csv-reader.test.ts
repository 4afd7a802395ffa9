import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { CsvFault, readCsv } from '../../../src/app/batches/csv-reader.ts';
import { anyCharacter } from '../../support/text.ts';

type Read = [line: number, ...cells: string[]][];

/** Splits the content into chunks of this size, as a file or a pipe would deliver them. */
async function* chunksOf(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

async function read(content: string | Buffer, { size = 64 * 1024, delimiter = null as string | null } = {}) {
  const records: Read = [];
  for await (const { line, cells } of readCsv(chunksOf(Buffer.from(content), size), delimiter))
    records.push([line, ...cells.map((cell) => cell.toString('utf8'))]);
  return records;
}

async function fault(content: string | Buffer): Promise<string> {
  try {
    await read(content);
  } catch (error) {
    assert.ok(error instanceof CsvFault);
    return error.message;
  }
  assert.fail('it was read');
}

test('a record has the number of its first line, with any line ending and any cell content', async () => {
  for (const end of ['\n', '\r\n', '\r']) {
    const content = ['a,b', '1,"x', 'y"', '', '2,"""q"""', '"\r\n\r\n",z', '3,', ''].join(end);
    assert.deepEqual(
      await read(content),
      [
        [1, 'a', 'b'],
        [2, '1', `x${end}y`],
        [5, '2', '"q"'],
        [6, '\r\n\r\n', 'z'],
        [9, '3', ''],
      ],
      JSON.stringify(end),
    );
  }
  assert.deepEqual(await read('a\n1\r\n2\r3'), [
    [1, 'a'],
    [2, '1'],
    [3, '2'],
    [4, '3'],
  ]);
});

test('the delimiter is the most frequent one in the first line, outside quotes', async () => {
  assert.deepEqual(await read('a;b;"c,,,"\n1;2;3,4'), [
    [1, 'a', 'b', 'c,,,'],
    [2, '1', '2', '3,4'],
  ]);
  assert.deepEqual(await read('a\tb\n1\t2;3'), [
    [1, 'a', 'b'],
    [2, '1', '2;3'],
  ]);
  assert.deepEqual(await read('a\n1'), [
    [1, 'a'],
    [2, '1'],
  ]);
  assert.deepEqual(await read('a;b|c\n1|2', { delimiter: '|' }), [
    [1, 'a;b', 'c'],
    [2, '1', '2'],
  ]);
});

test('a byte order mark is not part of the first name; empty input has no records', async () => {
  assert.deepEqual(await read('\ufeff"a",b\n1,2', { size: 1 }), [
    [1, 'a', 'b'],
    [2, '1', '2'],
  ]);
  assert.deepEqual(await read(''), []);
  assert.deepEqual(await read('\n\n'), []);
});

test('input that cannot be split into records is reported by the line where the bad record begins', async () => {
  const good = Array.from({ length: 5000 }, (_, i) => `KEY-${i},"two\nlines"`).join('\n');
  const before = `a,b\n${good}\n`;
  const line = 1 + 2 * 5000 + 1;
  assert.match(await fault(`${before}x,"never closed\n1,2\n`), new RegExp(`^line ${line}: quote_not_closed`));
  assert.match(await fault(`${before}x,"closed"but\n`), new RegExp(`^line ${line}: text_after_quote`));
  assert.match(await fault(`${before}x,in"side\n`), new RegExp(`^line ${line}: quote_in_cell`));
  const long = `${before}x,"${'y\n'.repeat(600_000)}"\n`;
  assert.match(await fault(long), new RegExp(`^line ${line}: record_too_long`));
  assert.match(await fault(Buffer.from('a,b\n1,2\n', 'utf16le')), /^line 1: not_utf8/);
});

test('every written CSV file is read back unchanged, in chunks of any size', async () => {
  const cell = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 12 }),
    fc.constantFrom('', '"', '""', ',', ';', '\t', '\n', '\r', '\r\n', ' x ', '\ufeff', "'", '=1+1'),
  );
  const records = fc.array(fc.tuple(cell, cell, cell), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(
      records,
      fc.constantFrom(',', ';', '\t'),
      fc.constantFrom('\n', '\r\n'),
      fc.integer({ min: 1, max: 9 }),
      async (rows, delimiter, end, size) => {
        const all = [['first', 'second', 'third'], ...rows];
        const content = stringify(all, { delimiter, record_delimiter: end, quoted_match: /[\r\n]/ });
        const back = await read(content, { size });
        assert.deepEqual(
          back.map(([, ...cells]) => cells),
          all,
        );
        const lines = content.split(/\r\n|\n|\r/);
        for (const [line, first] of back) {
          const bare = first?.split(/[\r\n"]/)[0] ?? '';
          assert.ok(lines[line - 1]?.replace(/^"/, '').startsWith(bare));
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('a record of very many tiny cells is refused before it fills the memory', async () => {
  assert.match(await fault('a,'.repeat(1_500_000)), /line 1: record_too_long/);
  assert.match(await fault(`a\n${'b,'.repeat(1_500_000)}`), /line 2: record_too_long/);
});

test('a record has at most 1,000 cells', async () => {
  const record = (cells: number) => Array.from({ length: cells }, (_, i) => `"${i},"`).join(',');
  assert.equal((await read(record(1_000)))[0]?.length, 1_001);
  assert.match(await fault(`a\n${record(1_001)}\nb`), /^line 2: too_many_cells/);
});

test('the reader yields to other tasks while it skips blank lines', async () => {
  let turns = 0;
  let isRead = false;
  const count = () => {
    turns++;
    if (!isRead) setImmediate(count);
  };
  setImmediate(count);
  assert.deepEqual(await read(`a${'\n'.repeat(200_000)}`), [[1, 'a']]);
  isRead = true;
  assert.ok(turns > 300, `${turns} turns`);
});
