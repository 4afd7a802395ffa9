import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { differences } from './compare.ts';
import { recordCheckout } from './recording.ts';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const RECORDED = fileURLToPath(new URL('recorded', import.meta.url));
/** The server that tests of PostgreSQL use; unset, they run on SQLite. */
const SERVER = process.env.LATCHKEY_TEST_DATABASE_URL || null;

test('every answer is the recorded one, byte for byte; `node test/wire/record.ts --update` records anew', async () => {
  const files = await recordCheckout(CHECKOUT, SERVER);
  const found = differences(RECORDED, files, SERVER === null ? 'sqlite' : 'postgres');
  assert.ok(found.length === 0, `The answers have changed.\n\n${found.join('\n\n')}\n`);
});
