import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { clientTypes } from '../../console/generate-client.ts';
import { ROOT } from '../support/program.ts';

test("the types of the console's client are those of the API: `npm run console:client` makes them", async () => {
  assert.equal(readFileSync(join(ROOT, 'console/client/schema.d.ts'), 'utf8'), await clientTypes());
});
