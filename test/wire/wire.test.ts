import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { START } from '../support/program.ts';
import { differences } from './compare.ts';
import { recordCheckout } from './recording.ts';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const RECORDED = fileURLToPath(new URL('recorded', import.meta.url));
test('every v1 answer equals the recording, byte for byte; `node test/wire/record.ts --update` rewrites it', async () => {
  const files = await recordCheckout(CHECKOUT, null, { program: START, onlyKept: true });
  const found = differences(RECORDED, files);
  assert.ok(found.length === 0, `The answers have changed.\n\n${found.join('\n\n')}\n`);
});
