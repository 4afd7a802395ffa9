import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fingerprintOf } from './key-bundle.ts';
import {
  exchangeMasterKey,
  makeMasterKey,
  makeNextMasterKey,
  masterKeyFile,
  nextMasterKeyFile,
  readMasterKey,
  readMasterKeyFile,
  readNextMasterKey,
  retiredMasterKeyFile,
} from './master-key.ts';

const REMOVED = { nothing: null, 'the next key': nextMasterKeyFile, 'the key in use': masterKeyFile };

for (const [what, fileOf] of Object.entries(REMOVED)) {
  test(`the next key is the key in the end, where ${what} was removed meanwhile`, (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-'));
    t.after(() => rmSync(dataDir, { recursive: true }));
    const old = makeMasterKey(dataDir);
    const next = makeNextMasterKey(dataDir);
    if (fileOf) rmSync(fileOf(dataDir));
    for (let i = 0; i < 2; i++) exchangeMasterKey(dataDir, next);
    assert.deepEqual(readMasterKey(dataDir), next);
    assert.equal(readNextMasterKey(dataDir), null);
    const retired = readMasterKeyFile(retiredMasterKeyFile(dataDir, fingerprintOf(old)));
    assert.deepEqual(retired, fileOf === masterKeyFile ? null : old);
    assert.equal(statSync(masterKeyFile(dataDir)).mode & 0o077, 0);
  });
}

test('the next key of a rotation that has come after is left to that one', (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const inUse = makeMasterKey(dataDir);
  const next = makeNextMasterKey(dataDir);
  exchangeMasterKey(dataDir, Buffer.alloc(32, 7));
  assert.deepEqual([readMasterKey(dataDir), readNextMasterKey(dataDir)], [inUse, next]);
  assert.match(readFileSync(masterKeyFile(dataDir), 'utf8'), /^[0-9a-f]{64}\n$/);
});
