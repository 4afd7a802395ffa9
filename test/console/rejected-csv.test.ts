import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { beginningOf, cellsOf, rejectedCsv } from '../../console/features/imports/csv-file.ts';
import { readCsv } from '../../src/app/batches/csv-reader.ts';

const WHY = 'Rejected because';
type Read = { line: number; cells: string[] };
async function read(blob: Blob, delimiter: string | null = null): Promise<Read[]> {
  const records: Read[] = [];
  const bytes = blob.stream() as unknown as AsyncIterable<Uint8Array>;
  const buffers = async function* () {
    for await (const chunk of bytes) yield Buffer.from(chunk);
  };
  for await (const { line, cells } of readCsv(buffers(), delimiter))
    records.push({ line, cells: cells.map((cell) => cell.toString('utf8')) });
  return records;
}

suite('file of rejected lines', () => {
  const cell = fc.constantFrom(
    '',
    'a',
    'ü',
    '"a;b"',
    '"a""b"',
    '"two\nlines"',
    '"two\r\nlines\r"',
    '-1',
    "'=x",
    '"@"',
  );
  const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 12 });
  const lineBreak = fc.constantFrom('\n', '\r\n', '\r');
  test("contains the rejected lines by the server's line numbers, with their cells and reasons", async () => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        lineBreak,
        fc.boolean(),
        fc.infiniteStream(fc.boolean()),
        async (rows, end, bom, pick) => {
          const text = `${bom ? '\ufeff' : ''}k;l;m${end}${rows.map((row) => row.join(';') + end).join('')}`;
          const [, ...records] = await read(new Blob([text]), ';');
          const rejected = records.filter(() => pick.next().value);
          const words = rejected.map(({ line }) => ({ line, words: `is wrong; "${line}"` }));
          const [header, ...told] = await read(
            await rejectedCsv(new Blob([text]), ';', words.values(), WHY),
            ';',
          );
          assert.deepEqual(header?.cells, ['k', 'l', 'm', WHY]);
          const plain = (one: string) => (/^[-@]/.test(one) ? `'${one}` : one);
          assert.deepEqual(
            told.map(({ cells }) => cells),
            rejected.map(({ line, cells }) => [
              ...Array.from({ length: Math.max(3, cells.length) }, (_, i) => plain(cells[i] ?? '')),
              `is wrong; "${line}"`,
            ]),
          );
        },
      ),
    );
  });
  test('keeps a single reason column when imported again', async () => {
    const file = new Blob([`k,${WHY}\na,old\nb,old\n`]);
    const csv = await rejectedCsv(file, ',', [{ line: 3, words: 'new' }].values(), WHY);
    assert.deepEqual(
      (await read(csv)).map(({ cells }) => cells),
      [
        ['k', WHY],
        ['b', 'new'],
      ],
    );
  });
});

test('the start of a large file ends with a record', async () => {
  const row = `"${'x'.repeat(99)}\n",b\n`;
  const beginning = await beginningOf(new Blob([`k,l\n${row.repeat(1_000)}`]));
  assert.ok(beginning.size > 60_000 && beginning.size <= 65_536);
  assert.ok((await beginning.text()).endsWith('\n",b\n'));
  assert.deepEqual(cellsOf('"a ""b"",c",,d', ','), ['a "b",c', '', 'd']);
});
