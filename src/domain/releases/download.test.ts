import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { LicensedActivation } from '../activation.ts';
import { toMilliseconds } from '../datetime.ts';
import { EXAMPLES } from '../example-records.ts';
import type { License } from '../licenses/license.ts';
import { type DownloadDenial, type Outcome, type Refusal, refused } from '../refusal.ts';
import { type DownloadClaim, type Holder, isEntitled, mayDownload } from './download.ts';

const now = '2030-06-01 12:00:00';
const { activation, software, release } = EXAMPLES;
const license: License = { ...EXAMPLES.license, expiresAt: null };
const [PRODUCT = 0] = software.productIds;

/** Each state of a condition, with the denial that it causes; null if it allows the download. */
type States = Record<string, { denial: DownloadDenial | null; [more: string]: unknown }>;
const ACTIVATIONS = {
  valid: { denial: null, change: {} },
  deactivated: { denial: 'activation_deactivated', change: { deactivatedAt: '2030-05-01 00:00:00' } },
  none: { denial: 'activation_missing', change: null },
  'of another license': { denial: 'activation_missing', change: { licenseId: license.id + 1 } },
} as const satisfies States;
const LICENSES = {
  active: { denial: null, change: {} },
  'expiring this second': { denial: null, change: { expiresAt: now } },
  expired: { denial: 'license_expired', change: { expiresAt: '2030-06-01 11:59:59' } },
  disabled: { denial: 'license_disabled', change: { status: 5 } },
  inactive: { denial: null, change: { status: 4 } },
  deleted: { denial: 'activation_missing', change: null },
} as const satisfies States;
const PRODUCTS = {
  covered: { denial: null, license: PRODUCT, software: [PRODUCT] },
  'one of several': { denial: null, license: PRODUCT, software: [1, PRODUCT] },
  'software for all licenses': { denial: null, license: 8, software: [] },
  'software for all licenses, license without a product': { denial: null, license: null, software: [] },
  'not covered': { denial: 'license_not_covering', license: 8, software: [PRODUCT] },
  'license without a product': { denial: 'license_not_covering', license: null, software: [PRODUCT] },
} as const satisfies States;
const RELEASES = {
  published: { denial: null, change: {} },
  draft: { denial: 'release_not_available', change: { status: 'draft' } },
  yanked: { denial: 'release_not_available', change: { status: 'yanked' } },
  'without a file': { denial: 'release_not_available', change: { file: null } },
  'of other software': { denial: 'release_not_available', change: { softwareId: software.id + 1 } },
  deleted: { denial: 'release_not_available', change: null },
} as const satisfies States;
const claim: DownloadClaim = {
  releaseId: release.id,
  activationId: activation.id,
  licenseId: null,
  expiresAt: toMilliseconds(now) + 1,
};
const TOKENS = {
  'not issued yet': { denial: null, claim: null },
  fresh: { denial: null, claim },
  expired: { denial: 'token_expired', claim: { ...claim, expiresAt: toMilliseconds(now) } },
  forged: { denial: null, claim: 'forged' },
} as const satisfies States;

type Names = [keyof typeof ACTIVATIONS, keyof typeof LICENSES, keyof typeof PRODUCTS];

/** Returns the holder; null if there is no activation, or if it was deleted with its license. */
function holderOf(...[a, l, p]: Names): LicensedActivation | null {
  const [changedActivation, changedLicense] = [ACTIVATIONS[a].change, LICENSES[l].change];
  if (!changedActivation || !changedLicense) return null;
  return {
    activation: { ...activation, ...changedActivation },
    license: { ...license, productId: PRODUCTS[p].license, ...changedLicense },
  };
}
const NOWHERE: Refusal = refused('download_not_found').refusal;
const refusalFor = (why: DownloadDenial | null): Refusal | null =>
  why && refused('download_denied', { why }).refusal;
const refusalOf = (outcome: Outcome<null>): Refusal | null => (outcome.ok ? null : outcome.refusal);
const keysOf = <T extends object>(table: T) => Object.keys(table) as (keyof T)[];

suite('who may download', () => {
  for (const access of ['licensed', 'public'] as const) {
    for (const r of keysOf(RELEASES)) {
      for (const t of keysOf(TOKENS)) {
        test(`${access}, release ${r}, token ${t}: every activation, license and product`, () => {
          for (const a of keysOf(ACTIVATIONS)) {
            for (const l of keysOf(LICENSES)) {
              for (const p of keysOf(PRODUCTS)) {
                const holder = holderOf(a, l, p);
                const asked = {
                  software: { ...software, access, productIds: PRODUCTS[p].software },
                  release: RELEASES[r].change && { ...release, ...RELEASES[r].change },
                  holder,
                  claim: TOKENS[t].claim,
                  now,
                };
                // An activation is deleted with its license.
                const entitled = holder
                  ? (ACTIVATIONS[a].denial ?? LICENSES[l].denial ?? PRODUCTS[p].denial)
                  : 'activation_missing';
                const denial =
                  RELEASES[r].denial ?? TOKENS[t].denial ?? (access === 'public' ? null : entitled);
                const isNowhere = t === 'forged' || (r === 'deleted' && t === 'not issued yet');
                const expected: Refusal | null = isNowhere ? NOWHERE : refusalFor(denial);
                assert.deepEqual(refusalOf(mayDownload(asked)), expected, [a, l, p].join(', '));
                const ofHolder = refusalOf(isEntitled(asked.software, holder, now));
                assert.deepEqual(ofHolder, refusalFor(entitled), [a, l, p].join(', '));
              }
            }
          }
        });
      }
    }
  }
});

test('a license downloads by its key, with a token of its own and without an activation', () => {
  const ofLicense = { ...claim, activationId: null, licenseId: license.id };
  const denial = (holder: Holder, claim: DownloadClaim) => {
    const outcome = mayDownload({ software, release, holder, claim, now });
    return outcome.ok ? null : outcome.refusal;
  };
  const byKey: Holder = { activation: null, license };
  assert.equal(denial(byKey, ofLicense), null);
  assert.deepEqual(
    denial({ ...byKey, license: { ...license, status: 5 } }, ofLicense),
    refusalFor('license_disabled'),
  );
});
