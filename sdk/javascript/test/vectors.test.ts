import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { LeaseCase, TextCase } from '../../vectors/cases.ts';
import { type Revocations, verifyLease, verifyRevocations } from '../src/verify.ts';

const FOLDER = new URL('../../vectors/', import.meta.url);
const read = (name: string) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));
const LEASES = readdirSync(FOLDER).filter((name) => /^leases-.*\.json$/.test(name));

for (const file of LEASES)
  test(`each vector of ${file} gives its result`, async () => {
    const { roots, now, cases }: { roots: string[]; now: number; cases: LeaseCase[] } = read(file);
    assert.ok(cases.length > 0);
    for (const { name, lease, options, result, code, claims } of cases) {
      const { fingerprint, product, nonce, revoked_keys: revokedKeys, revocations: list } = options;
      let revocations: Revocations | undefined;
      if (list !== undefined) {
        const verified = await verifyRevocations(list, { roots, revokedKeys });
        // An invalid list counts as no list.
        if (verified.ok) revocations = verified.list;
      }
      const verified = await verifyLease(lease, {
        roots,
        fingerprint,
        product,
        nonce,
        revokedKeys,
        revocations,
        now: options.now ?? now,
        deviceKey: options.device_key,
      });
      assert.equal(verified.ok ? verified.state : 'refused', result, name);
      if (verified.ok) assert.deepEqual(verified.lease, claims, name);
      else if (code) assert.equal(verified.code, code, name);
    }
  });

test('each vector of revocation-lists.json gives its result', async () => {
  const { roots, cases }: { roots: string[]; cases: TextCase[] } = read('revocation-lists.json');
  for (const { name, text, options, result, code, claims } of cases) {
    const verified = await verifyRevocations(text, {
      roots,
      revokedKeys: options.revoked_keys,
      seq: options.seq,
    });
    assert.equal(verified.ok ? 'good' : 'refused', result, name);
    if (verified.ok) assert.deepEqual(verified.list, claims, name);
    else if (code) assert.equal(verified.code, code, name);
  }
});
