import type { TSchema } from 'typebox';
import { ACTIVATION_SOURCE, type Activation, UNSEEN } from '../../domain/activation.ts';
import type { AuditEntry } from '../../domain/audit.ts';
import type { Generator } from '../../domain/generator.ts';
import { DISABLED, LICENSE_SOURCE, type License } from '../../domain/license.ts';
import type { Release } from '../../domain/releases/release.ts';
import type { Software } from '../../domain/releases/software.ts';
import { TERMS_DEFAULTS } from '../../domain/terms.ts';
import {
  type Audience,
  presentActivation,
  presentAuditEntry,
  presentChangedGenerator,
  presentDownloadCount,
  presentGenerator,
  presentLicense,
  presentLicensedActivation,
  presentLicenseWithActivations,
  presentRelease,
  presentSoftware,
  presentUpdate,
  presentUsageCount,
} from './present.ts';

/** The key and the token of the examples. */
export const LICENSE_KEY = 'ACME-7F3KQ-22HTX';
export const TOKEN = 'b94fcb7c1f6f4d0e9a1ce1a6c1d1a7f03c5d2e88';
const DOWNLOAD_TOKEN = 'AQAAAAcAAAAD0Zr3…';

const to: Audience = { now: '2031-02-03 04:05:06', isLikePlugin: false };
const made = { createdAt: '2031-02-03 04:05:06', createdBy: 1, updatedAt: null, updatedBy: null };

const license: License = {
  id: 7,
  key: LICENSE_KEY,
  orderId: 4711,
  productId: 12,
  userId: null,
  expiresAt: '2032-02-03 04:05:06',
  validFor: 365,
  source: LICENSE_SOURCE.api,
  status: 3,
  timesActivated: 1,
  activationsLimit: 2,
  ...TERMS_DEFAULTS,
  entitlements: ['pro'],
  ...made,
};
const activation: Activation = {
  id: 31,
  token: TOKEN,
  licenseId: license.id,
  softwareId: null,
  label: 'Office laptop',
  source: ACTIVATION_SOURCE.api,
  ipAddress: '192.0.2.44',
  userAgent: 'AcmeEditor/1.4.0',
  meta: { os: 'linux', version: '1.4.0' },
  createdAt: made.createdAt,
  ...UNSEEN,
};
const generator: Generator = {
  id: 2,
  name: 'Acme keys',
  charset: 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789',
  chunks: 2,
  chunkLength: 5,
  separator: '-',
  prefix: 'ACME-',
  suffix: null,
  activationsLimit: 2,
  expiresIn: 365,
  ...TERMS_DEFAULTS,
  entitlements: ['pro'],
  ...made,
};
const software: Software = {
  id: 1,
  name: 'Acme Editor',
  slug: 'acme-editor',
  type: 'wp',
  url: 'https://example.com/acme-editor',
  productIds: [12],
  access: 'licensed',
  tested: '6.8',
  requires: '6.2',
  requiresPhp: '8.1',
  icons: { '1x': 'https://example.com/icon-128x128.png' },
  banners: null,
  ...made,
};
const release: Release = {
  id: 3,
  softwareId: software.id,
  version: '1.4.0',
  channel: 'stable',
  status: 'published',
  yankReason: null,
  changelog: '- Opens large files in half the time',
  upgradeNotice: null,
  rollout: 100,
  file: {
    name: 'acme-editor.zip',
    type: 'application/zip',
    size: 300_000,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    sha512:
      'ee26b0dd4af7e749aa1a8ee3c10ae9923f618980772e473f8819a5d4940e0db27ac185f8a0e1d5f84f88bc887fd67b143732c304cc5fa9ad8e6f57f50028a8ff',
    key: '',
  },
  publishedAt: made.createdAt,
  ...made,
};
const change: AuditEntry = {
  id: 128,
  at: made.createdAt,
  action: 'license.update',
  userId: 1,
  via: 'api',
  apiKeyId: 4,
  origin: '192.0.2.7',
  subject: { type: 'license', id: license.id },
  details: { before: { status: 2 }, after: { status: 3 } },
};

/** An example of the data of answers, by the title of its schema; created by the code that creates the real answers. */
const EXAMPLES: Record<string, unknown> = {
  License: presentLicense({ ...license, timesActivated: 0 }, to),
  Activation: presentActivation(activation),
  LicensedActivation: presentLicensedActivation({ activation, license }, to),
  LicenseWithActivations: presentLicenseWithActivations({ license, activations: [activation] }, to),
  Generator: presentGenerator(generator, to),
  ChangedGenerator: presentChangedGenerator(generator, to),
  LicenseKeys: [LICENSE_KEY, 'ACME-9RWPM-K4ZCD'],
  Software: presentSoftware(software),
  Release: presentRelease(release),
  Update: presentUpdate(
    {
      software,
      isHeld: true,
      releases: [{ ...release, changelogBytes: 0 }],
      changelogs: [],
      nextChangelog: null,
      licenseKey: license.key,
      downloadToken: DOWNLOAD_TOKEN,
      denied: null,
    },
    release.changelog ?? '',
    (token) =>
      `https://licenses.example.com/wp-json/dlm/v1/software/download/${token}?consumer_key=ck_…&consumer_secret=cs_…`,
  ),
  DownloadCount: presentDownloadCount({
    releaseId: release.id,
    version: '1.4.0',
    day: '2031-02-03',
    downloads: 57,
  }),
  AuditEntry: presentAuditEntry(change),
  UsageCount: presentUsageCount({ day: '2031-02-03', counted: 'validations', count: 1_904 }),
  Nothing: [],
};

/** A validation succeeds whatever the state of the license. */
export const VALIDATED = {
  valid: EXAMPLES.LicensedActivation,
  expired: presentLicensedActivation(
    { activation, license: { ...license, expiresAt: '2031-01-31 23:59:59' } },
    to,
  ),
  disabled: presentLicensedActivation({ activation, license: { ...license, status: DISABLED } }, to),
};
export const DEACTIVATED = {
  deactivated: presentLicensedActivation(
    {
      activation: { ...activation, updatedAt: to.now, deactivatedAt: to.now },
      license: { ...license, timesActivated: 0 },
    },
    to,
  ),
};

/** Returns examples of the data that a schema describes, by name. */
export function examplesOf(schema: TSchema): Record<string, unknown> {
  const { title, items, anyOf } = schema as { title?: string; items?: TSchema; anyOf?: TSchema[] };
  if (title) return { [title]: EXAMPLES[title] };
  if (anyOf) return Object.assign({}, ...anyOf.map(examplesOf));
  return Object.fromEntries(
    Object.entries(examplesOf(items as TSchema)).map(([name, value]) => [`${name}List`, [value]]),
  );
}
