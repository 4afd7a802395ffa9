import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { clientTypes } from '../../console/generate-client.ts';
import { ROOT } from '../support/program.ts';

test("the console's client types match the API: `npm run console:client` generates them", async () => {
  assert.equal(readFileSync(join(ROOT, 'console/client/schema.d.ts'), 'utf8'), await clientTypes());
});
