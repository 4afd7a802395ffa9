import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { goodCases } from '../../sdk/vectors/good.ts';
import { ROOTS } from '../../sdk/vectors/kit.ts';
import { bare, KINDS, type Mutation, mutate } from '../../sdk/vectors/mutate.ts';
import { readCompact } from '../../src/app/leases/compact.ts';
import { count, holds, type Tally } from './budget.ts';

/** A changed lease never passes as one that a pinned root and its signing key have signed. */
const RUNS = 500;

const leases = goodCases.map(({ lease }) => lease);
const same = new Set(leases.map(bare));
const share = fc.nat(2 ** 24 - 1).map((n) => n / 2 ** 24);
const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom(...KINDS),
  a: share,
  b: share,
  c: share,
});
const changes = fc.noBias(
  fc.record({
    lease: fc.constantFrom(...leases),
    others: fc.array(fc.record({ other: fc.constantFrom(...leases), mutation }), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
);

/** Returns what is wrong with a lease, according to `compact.ts`; null if nothing is. */
function refusalOf(text: string): string | null {
  const lease = readCompact(bare(text), 'lk-lease+jwt', ['kid', 'crt']);
  const certificate = lease && readCompact(String(lease.header.crt), 'lk-cert+jwt', ['kid']);
  if (!certificate) return 'malformed';
  if (!ROOTS.some((root) => certificate.isSignedBy(root))) return 'wrong_root';
  return lease.isSignedBy(String(certificate.payload.x)) ? null : 'bad_signature';
}

test('a changed lease does not pass as a signed one', async (t) => {
  const tally: Tally = new Map();
  for (const lease of leases) assert.equal(refusalOf(lease), null);
  await holds(t, changes, RUNS, tally, async ({ lease, others }) => {
    const text = others.reduce((text, { other, mutation }) => mutate(text, other, mutation), lease);
    const refusal = refusalOf(text);
    count(tally, refusal ?? 'the same');
    assert.ok(refusal !== null || same.has(bare(text)), text);
  });
});
