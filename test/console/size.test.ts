import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstLoad, LIMIT } from '../../console/size.ts';

test('the sign-in page loads less JavaScript than the limit, and no code of later pages', () => {
  const { script, files } = firstLoad();
  assert.ok(script.gzip > 50_000 && script.gzip <= LIMIT, `${script.gzip} bytes`);
  const names = files.map(([file]) => file).join('\n');
  assert.doesNotMatch(names, /charts|recharts|dates|dropzone|qrcode|Shell|DataTable/i);
});
