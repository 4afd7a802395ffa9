import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Activation, LicensedActivation } from './activation.ts';
import { toMilliseconds } from './datetime.ts';
import { type DownloadClaim, isEntitled, mayDownload } from './download.ts';
import type { License } from './license.ts';
import type { Release } from './release.ts';
import type { Software } from './software.ts';

const now = '2030-06-01 12:00:00';
const PRODUCT = 7;
const made = { createdAt: '2030-01-01 00:00:00', createdBy: 1, updatedAt: null, updatedBy: null };
const license: License = {
  id: 1,
  key: 'KEY',
  orderId: null,
  productId: PRODUCT,
  userId: null,
  expiresAt: null,
  validFor: 0,
  source: 3,
  status: 3,
  timesActivated: 1,
  activationsLimit: 0,
  ...made,
};
const activation: Activation = {
  id: 5,
  token: 'a'.repeat(40),
  licenseId: 1,
  softwareId: null,
  label: null,
  source: 2,
  ipAddress: null,
  userAgent: null,
  meta: null,
  createdAt: made.createdAt,
  updatedAt: null,
  deactivatedAt: null,
};
const software: Software = {
  id: 3,
  name: 'Acme',
  slug: 'acme',
  type: 'wp',
  url: null,
  productIds: [PRODUCT],
  access: 'licensed',
  tested: null,
  requires: null,
  requiresPhp: null,
  icons: null,
  banners: null,
  ...made,
};
const file = { name: 'a.zip', type: 'application/zip', size: 1, sha256: '', sha512: '', key: '' };
const release: Release = {
  id: 9,
  softwareId: 3,
  version: '1.0',
  channel: 'stable',
  status: 'published',
  changelog: null,
  upgradeNotice: null,
  rollout: 100,
  file,
  publishedAt: made.createdAt,
  ...made,
};

/** Each state of each thing that counts, and whether it lets a download through. */
const ACTIVATIONS = {
  valid: { good: true, change: {} },
  deactivated: { good: false, change: { deactivatedAt: '2030-05-01 00:00:00' } },
  none: { good: false, change: null },
  'of another license': { good: false, change: { licenseId: 2 } },
} as const;
const LICENSES = {
  active: { good: true, change: {} },
  'expiring this second': { good: true, change: { expiresAt: now } },
  expired: { good: false, change: { expiresAt: '2030-06-01 11:59:59' } },
  disabled: { good: false, change: { status: 5 } },
  inactive: { good: true, change: { status: 4 } },
  deleted: { good: false, change: null },
} as const;
const PRODUCTS = {
  covered: { good: true, license: PRODUCT, software: [PRODUCT] },
  'one of several': { good: true, license: PRODUCT, software: [1, PRODUCT] },
  'software for all licenses': { good: true, license: 8, software: [] },
  'software for all licenses, license without a product': { good: true, license: null, software: [] },
  'not covered': { good: false, license: 8, software: [PRODUCT] },
  'license without a product': { good: false, license: null, software: [PRODUCT] },
} as const;
const RELEASES = {
  published: { good: true, change: {} },
  draft: { good: false, change: { status: 'draft' } },
  yanked: { good: false, change: { status: 'yanked' } },
  'without a file': { good: false, change: { file: null } },
  'of other software': { good: false, change: { softwareId: 4 } },
  deleted: { good: false, change: null },
} as const;
const claim: DownloadClaim = { releaseId: 9, activationId: 5, expiresAt: toMilliseconds(now) + 1 };
const TOKENS = {
  'not issued yet': { good: true, claim: null },
  fresh: { good: true, claim },
  expired: { good: false, claim: { ...claim, expiresAt: toMilliseconds(now) } },
  forged: { good: false, claim: 'forged' },
  'for another release': { good: false, claim: { ...claim, releaseId: 10 } },
  'for another activation': { good: false, claim: { ...claim, activationId: 6 } },
} as const;

type Names = [keyof typeof ACTIVATIONS, keyof typeof LICENSES, keyof typeof PRODUCTS];

/** Null where the activation is not there, or was deleted with its license. */
function holderOf(...[a, l, p]: Names): LicensedActivation | null {
  const [changedActivation, changedLicense] = [ACTIVATIONS[a].change, LICENSES[l].change];
  if (!changedActivation || !changedLicense) return null;
  return {
    activation: { ...activation, ...changedActivation },
    license: { ...license, productId: PRODUCTS[p].license, ...changedLicense },
  };
}
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
                const entitled = ACTIVATIONS[a].good && LICENSES[l].good && PRODUCTS[p].good;
                // Without its activation, a token for public software is as good as one that never had any.
                const tokenIsGood = TOKENS[t].good || (t === 'for another activation' && holder === null);
                const expected = RELEASES[r].good && tokenIsGood && (access === 'public' || entitled);
                assert.equal(mayDownload(asked).ok, expected, [a, l, p].join(', '));
                assert.equal(isEntitled(asked.software, holder, now).ok, entitled, [a, l, p].join(', '));
              }
            }
          }
        });
      }
    }
  }
  const reasonOf = (over: object) => {
    const outcome = mayDownload({
      software,
      release,
      holder: { activation, license },
      claim,
      now,
      ...over,
    });
    assert.ok(!outcome.ok);
    return outcome.refusal;
  };
  test('what was never issued, or has nothing to download, is not found; what was taken away is denied', () => {
    assert.deepEqual(reasonOf({ claim: 'forged' }), { reason: 'download_not_found' });
    assert.deepEqual(reasonOf({ claim: null, release: null }), { reason: 'download_not_found' });
    assert.deepEqual(reasonOf({ release: null }), {
      reason: 'download_denied',
      why: 'release_not_available',
    });
    assert.deepEqual(reasonOf({ holder: null }), { reason: 'download_denied', why: 'activation_missing' });
  });
});
