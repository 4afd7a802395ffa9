import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import type { LeaseCase } from '../../../sdk/vectors/cases.ts';
import { vectorFiles } from '../../../sdk/vectors/make.ts';
import { readCompact } from './compact.ts';

const FOLDER = new URL('../../../sdk/vectors/', import.meta.url);
const files = vectorFiles();

/** Whether a text has the form of a lease whose header has a text in the form of a certificate: steps 1 and 2. */
function hasForm(text: string): boolean {
  const bare = text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '').replace(/^LKLEASE1\./, '');
  const lease = readCompact(bare, 'lk-lease+jwt', ['kid', 'crt']);
  return lease !== null && readCompact(String(lease.header.crt), 'lk-cert+jwt', ['kid']) !== null;
}

suite('the form of signed texts', () => {
  test('the vectors are those that make.ts makes', () => {
    const found = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
    assert.deepEqual(found.sort(), [...files.keys()].sort());
    for (const [name, text] of files)
      assert.ok(readFileSync(new URL(name, FOLDER), 'utf8') === text, `npm run vectors: ${name} is stale`);
  });

  for (const [name, text] of files) {
    if (!name.startsWith('leases-')) continue;
    test(`is that of the vectors: ${name}`, () => {
      const isOfForm =
        name === 'leases-form.json' || name === 'leases-headers.json' || name === 'leases-json.json';
      for (const { name, lease, code } of JSON.parse(text).cases as LeaseCase[])
        if (code || !isOfForm) assert.equal(hasForm(lease), !isOfForm, name);
    });
  }
});
