import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PAGES } from '../tools/generate-docs.ts';
import { ROOT } from './support/program.ts';

for (const [path, make] of Object.entries(PAGES)) {
  test(`${path} matches the code`, () => {
    assert.equal(readFileSync(join(ROOT, path), 'utf8'), make(), `${path} is stale: run "npm run docs"`);
  });
}
