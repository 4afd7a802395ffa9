import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endProgress, showProgress } from '../../../src/cli/progress.ts';
import type { Run } from '../../../src/cli/run.ts';
import { counted, pairs, printable, table } from '../../../src/cli/table.ts';

test('a table is aligned by characters, and no cell controls the terminal', () => {
  assert.equal(
    table(
      [
        { id: 1, name: 'Ключ🔑', note: null },
        { id: 1000, name: 'x', note: '\u001b[2J\n\u202e' },
      ],
      { ID: 'id', NAME: ({ name }) => name, NOTE: 'note' },
    ),
    ['ID    NAME   NOTE', '1     Ключ🔑  -', '1000  x      \\u{1b}[2J\\u{a}\\u{202e}'].join('\n'),
  );
  assert.equal(pairs({ Id: 7, 'Long name': null }), 'Id         7\nLong name  -');
  assert.equal(printable('plain – ключ'), 'plain – ключ');
  assert.deepEqual(
    [counted(1, 'key'), counted(12345, 'key'), counted(2, 'it is', 'they are')],
    ['1 key', '12,345 keys', '2 they are'],
  );
});

test('progress is drawn on a terminal only', () => {
  const written: string[] = [];
  const runOn = (isTTY: boolean) => {
    const stderr = { isTTY, write: (text: string) => written.push(text) > 0 };
    return { io: { stderr }, given: {}, exitCode: 0 } as unknown as Run;
  };
  const nobody = runOn(false);
  showProgress(nobody, 'keys', 0.5, 50);
  endProgress(nobody);
  assert.deepEqual(written, []);

  const somebody = runOn(true);
  showProgress(somebody, 'keys', 0.5, 5000);
  showProgress(somebody, 'keys', 0.6, 6000);
  endProgress(somebody);
  endProgress(somebody);
  const half = `[${'#'.repeat(15)}${'-'.repeat(15)}]  50 %  5,000 keys`;
  assert.deepEqual(written, [`\r\x1b[K${half}`, '\r\x1b[K']);

  written.length = 0;
  showProgress(runOn(true), 'lines', null, 7);
  assert.deepEqual(written, ['\r\x1b[K7 lines']);
});
