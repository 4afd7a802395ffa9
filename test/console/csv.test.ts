import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvCell, plainCell } from '../../console/ui/csv.ts';
import { readCsvText, writeCsvText } from '../../src/app/batches/csv-text.ts';

const FORMULAS = ['=1+1', '+49', '-7', '@SUM(A1)', '\t1', '\r1', '\n1', '＝1', '－1', "'=1", "''-1", `'"=1"`];
/** Formulas after a character at which a spreadsheet may split. */
const BEHIND = {
  'a;=1': "a;'=1",
  'a,+1': "a,'+1",
  'a|-1': "a|'-1",
  "a\t'@1": "a\t''@1",
  '\t=1': "'\t'=1",
  'a\n=1': "a\n'=1",
  'a\r\n-1': "a\r\n'-1",
  "a\n'\n+1": "a\n''\n'+1",
  'a;"=1': `a;'"=1`,
  'a\n"=1': `a\n'"=1`,
};
const PLAIN = ['', "'", "'apostrophe", "don't", 'A=1', ' =1', '"a" =1', 'a\n\nb\r\n"c"', 'a\r\n\r\nb\n'];

test('the server and the browser put an apostrophe before formulas', () => {
  for (const text of FORMULAS) {
    assert.equal(writeCsvText(text), `'${text}`);
    assert.equal(csvCell(text), `"'${text.replaceAll('"', '""')}"`);
  }
  for (const [text, written] of Object.entries(BEHIND)) {
    assert.equal(writeCsvText(text), written);
    assert.equal(csvCell(text), `"${written.replaceAll('"', '""')}"`);
  }
  for (const text of PLAIN) assert.equal(writeCsvText(text), text);
  assert.equal(csvCell('"a" =1'), '"""a"" =1"');
});

test('reading a written text gives the original text', () => {
  for (const read of [readCsvText, plainCell])
    for (const text of [...FORMULAS, ...Object.keys(BEHIND), ...PLAIN])
      assert.equal(read(writeCsvText(text)), text);
  // Texts that nobody escaped stay unchanged.
  for (const text of PLAIN) assert.equal(readCsvText(text), text);
});
