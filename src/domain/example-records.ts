import { ACTIVATION_SOURCE, type Activation, UNSEEN } from './activation.ts';
import type { ApiKey } from './api-key.ts';
import type { Generator } from './generator.ts';
import { LICENSE_SOURCE, type License } from './licenses/license.ts';
import type { Release } from './releases/release.ts';
import type { Software } from './releases/software.ts';
import { TERMS_DEFAULTS } from './terms.ts';

// Records for the examples in the API documentation and in the catalogue of events.

/** The license key and the activation token in the examples. */
export const LICENSE_KEY = 'ACME-7F3KQ-22HTX';
export const TOKEN = 'b94fcb7c1f6f4d0e9a1ce1a6c1d1a7f03c5d2e88';

export const NOW = '2031-02-03 04:05:06';
const made = { createdAt: NOW, createdBy: 1, updatedAt: null, updatedBy: null };

const license: License = {
  id: 7,
  key: LICENSE_KEY,
  orderId: 4711,
  productId: 12,
  userId: null,
  customerEmail: 'ada@example.com',
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
const apiKey: Omit<ApiKey, 'secretHash'> = {
  id: 4,
  userId: 1,
  description: 'Shop',
  keyEnding: '4f9c02e',
  permission: 'read_write',
  hashedBy: 'sha256',
  endpoints: ['licenses.list', 'licenses.create'],
  products: [12],
  compatibility: 'documented',
  lmfwcVersion: 3,
  expiresAt: null,
  revokedAt: null,
  replacedBy: null,
  lastAccessAt: null,
  createdAt: NOW,
};

export const EXAMPLES = { license, activation, generator, software, release, apiKey } as const;
