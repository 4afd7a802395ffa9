import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvCell, plainCell } from '../../console/ui/csv.ts';
import { readCsvText, writeCsvText } from '../../src/app/batches/csv-text.ts';

const FORMULAS = ['=1+1', '+49', '-7', '@SUM(A1)', '\t1', '\r=1', '\n=1', '＝1', '－1', "'=1", "''-1"];
/** Formulas behind what a spreadsheet may split at. */
const BEHIND = { 'a;=1': "a;'=1", 'a,+1': "a,'+1", 'a|-1': "a|'-1", "a\t'@1": "a\t''@1", '\t=1': "'\t'=1" };
const PLAIN = ['', "'", "'apostrophe", "don't", 'A=1', ' =1', '"=1"'];

test('formulas get an apostrophe, from the server and the browser', () => {
  for (const text of FORMULAS) {
    assert.equal(writeCsvText(text), `'${text}`);
    assert.equal(csvCell(text), `"'${text}"`);
  }
  for (const [text, written] of Object.entries(BEHIND)) {
    assert.equal(writeCsvText(text), written);
    assert.equal(csvCell(text), `"${written}"`);
  }
  for (const text of PLAIN) assert.equal(writeCsvText(text), text);
  assert.equal(csvCell('"=1"'), '"""=1"""');
});

test('a written text is read back unchanged', () => {
  for (const read of [readCsvText, plainCell])
    for (const text of [...FORMULAS, ...Object.keys(BEHIND), ...PLAIN])
      assert.equal(read(writeCsvText(text)), text);
  // Other texts stay unchanged.
  for (const text of PLAIN) assert.equal(readCsvText(text), text);
});
