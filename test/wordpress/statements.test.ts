import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { readStatements } from '../../src/wordpress/dump/statements.ts';

type Value = Buffer | null;

/** The rows of the table `t`, read in chunks of this size. */
async function rowsOf(sql: string | Buffer, size = 1_000): Promise<Record<string, Value>[]> {
  const bytes = Buffer.from(sql);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const rows: Record<string, Value>[] = [];
  // Each row's buffers are parts of a chunk.
  for await (const found of readStatements('x.sql', chunks(), (table) => table === 't'))
    if (found.kind === 'row') rows.push({ ...found.row });
  return rows;
}

const texts = async (sql: string | Buffer, size?: number) =>
  (await rowsOf(sql, size)).map((row) => Object.values(row).map((value) => value?.toString() ?? null));

const refused = (sql: string, message: RegExp) =>
  assert.rejects(rowsOf(sql), ({ message: said }: Error) => message.test(said) || assert.fail(said));

const TABLE = 'CREATE TABLE `t` (`a` text, `b` text);\n';

suite('SQL of dumps', () => {
  test('phpMyAdmin dumps are read: column names in the INSERT, keys added later, a transaction', async () => {
    const sql = `-- phpMyAdmin SQL Dump
SET SQL_MODE = "NO_AUTO_VALUE_ON_ZERO";
START TRANSACTION;
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET NAMES utf8mb4 */;
--
-- Table structure for table \`t\`: it's "odd"
--
CREATE TABLE \`t\` (
  \`a\` bigint(20) UNSIGNED NOT NULL COMMENT 'one; two (3, 4)',
  \`b\` longtext CHARACTER SET utf8 DEFAULT NULL,
  \`c\` enum('x','y') DEFAULT 'x'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

INSERT INTO \`t\` (\`b\`, \`a\`) VALUES
('it''s', 1),
(NULL, -2.5e3),
('(\\'),(\\'', 3);
INSERT INTO \`wp_posts\` (\`id\`) VALUES (1), ('); INSERT INTO \`t\` VALUES (9,9,9);');
ALTER TABLE \`t\` /* it's; */ -- isn't;
  ADD PRIMARY KEY (\`a\`) # "
  ;
INSERT INTO \`t\` VALUES (4, 'four', 'x');
COMMIT;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
`;
    assert.deepEqual(await texts(sql), [
      ["it's", '1'],
      [null, '-2.5e3'],
      ["('),('", '3'],
      ['4', 'four', 'x'],
    ]);
    assert.deepEqual(Object.keys((await rowsOf(sql))[0] ?? {}), ['b', 'a']);
  });

  test('values are read: escapes, hex, introducers, truth values, comments in between', async () => {
    const sql = `CREATE TABLE IF NOT EXISTS t (a text, KEY x (a), "b" text, PRIMARY KEY (a));
INSERT IGNORE INTO db.t VALUES ('\\0\\b\\n\\r\\t\\Z\\\\\\'\\"\\%\\_\\x""', "d'q""\\"" ), /* , */
 (0x4D7953514C, x'4D') # end ;
 , (_binary '\\0a', _utf8mb4'ü'), (TRUE, false) -- it's
 ON DUPLICATE KEY UPDATE a = ';';
REPLACE INTO \`t\` VALUE (N'n', '');`;
    assert.deepEqual(await texts(sql), [
      ['\0\b\n\r\t\x1a\\\'"\\%\\_x""', 'd\'q""'],
      ['MySQL', 'M'],
      ['\0a', 'ü'],
      ['1', '0'],
      ['n', ''],
    ]);
  });

  test('triggers and routines are skipped, including their INSERTs', async () => {
    const sql = `${TABLE}INSERT INTO t VALUES (1,2);
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=\`x\`@\`%\`*/ /*!50003 TRIGGER y BEFORE INSERT ON t FOR EACH ROW BEGIN
  INSERT INTO t VALUES (3,4); END */;;
CREATE PROCEDURE p() BEGIN SELECT 1; INSERT INTO t VALUES (5,6); SET @x = 'it''s'; END ;;
DELIMITER ;
INSERT INTO t VALUES (7,8);
/*!50001 CREATE VIEW v AS SELECT 1 */;`;
    assert.deepEqual(await texts(sql), [
      ['1', '2'],
      ['7', '8'],
    ]);
  });

  test('statements that cannot be read are refused, never left out', async () => {
    await refused('INSERT INTO t VALUES (1)', /columns of t are unknown/);
    await refused(`${TABLE}INSERT INTO t VALUES (1);`, /does not have its 2 columns/);
    await refused(`${TABLE}INSERT INTO t VALUES (1,2,3);`, /does not have its 2 columns/);
    await refused(`${TABLE}INSERT INTO t SELECT * FROM u;`, /no VALUES/);
    await refused(`${TABLE}INSERT INTO t VALUES (NOW(),1);`, /an expression: "NOW"/);
    await refused(`${TABLE}INSERT INTO t VALUES (1,2)`, /truncated/);
    await refused(`${TABLE}INSERT INTO u VALUES ('`, /truncated/);
    await refused(`-- MySQL dump 10.13\n${TABLE}INSERT INTO t VALUES (1,2);\n`, /truncated/);
    assert.equal((await texts(`-- MySQL dump 10.13\n${TABLE}-- Dump completed on 2026-11-23`)).length, 0);
  });

  test('any written bytes are read back, in chunks of any size', async () => {
    const value = fc.option(fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)));
    const special = fc
      .array(fc.constantFrom(...'\\\'"`;(),-# \n\0\x1a*/%_0x'), { maxLength: 12 })
      .map((all) => Buffer.from(all.join('')));
    const rows = fc.array(fc.tuple(fc.oneof(value, special), fc.oneof(value, special)), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.integer({ min: 1, max: 50 }),
        fc.boolean(),
        async (written, size, doubled) => {
          const sql = Buffer.concat([
            Buffer.from(`${TABLE}INSERT INTO other VALUES `),
            join(written.map((row) => escaped(row, doubled))),
            Buffer.from(';\n'),
            ...written.flatMap((row) => [
              Buffer.from('INSERT INTO t VALUES '),
              escaped(row, doubled),
              Buffer.from(';'),
            ]),
          ]);
          const read = await rowsOf(sql, size);
          assert.deepEqual(
            read.map((row) => [row.a, row.b]),
            written,
          );
        },
      ),
      { numRuns: 150 },
    );
  });
});

const join = (parts: Buffer[]): Buffer =>
  Buffer.concat(parts.flatMap((part, index) => (index > 0 ? [Buffer.from(',\n'), part] : [part])));

/** A row as MySQL writes it, with quotes escaped or doubled. */
function escaped(row: readonly Value[], doubled: boolean): Buffer {
  const values = row.map((value) => {
    if (value === null) return Buffer.from('NULL');
    const bytes: number[] = [0x27];
    for (const byte of value) {
      if (byte === 0x27) bytes.push(doubled ? 0x27 : 0x5c, byte);
      else if (byte === 0x5c || byte === 0x22) bytes.push(0x5c, byte);
      else if (byte === 0) bytes.push(0x5c, 0x30);
      else if (byte === 0x0a) bytes.push(0x5c, 0x6e);
      else bytes.push(byte);
    }
    return Buffer.from([...bytes, 0x27]);
  });
  return Buffer.concat([Buffer.from('('), join(values), Buffer.from(')')]);
}
