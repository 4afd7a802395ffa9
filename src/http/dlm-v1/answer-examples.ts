import type { TSchema } from 'typebox';
import type { AuditEntry } from '../../domain/audit.ts';
import { exampleEvent } from '../../domain/events/catalog.ts';
import { ATTEMPTS_MAX, type Delivery } from '../../domain/events/delivery.ts';
import type { EventEndpoint } from '../../domain/events/endpoint.ts';
import { FORMAT } from '../../domain/events/event.ts';
import { LICENSE_KEY, NOW, EXAMPLES as RECORDS } from '../../domain/example-records.ts';
import { DISABLED } from '../../domain/licenses/license.ts';
import { exampleBody } from './event-webhooks.ts';
import {
  type Audience,
  presentActivation,
  presentAuditEntry,
  presentChangedGenerator,
  presentDelivery,
  presentDownloadCount,
  presentEndpoint,
  presentEndpointWithSecret,
  presentGenerator,
  presentLicense,
  presentLicensedActivation,
  presentLicenseWithActivations,
  presentRelease,
  presentSoftware,
  presentUpdate,
  presentUsageCount,
} from './present.ts';

const DOWNLOAD_TOKEN = 'AQAAAAcAAAAD0Zr3…';

const { license, activation, generator, software, release } = RECORDS;
const to: Audience = { now: NOW, isLikePlugin: false };
const change: AuditEntry = {
  id: 128,
  at: NOW,
  action: 'license.update',
  userId: 1,
  via: 'api',
  apiKeyId: 4,
  origin: '192.0.2.7',
  subject: { type: 'license', id: license.id },
  details: { before: { status: 2 }, after: { status: 3 } },
};

const endpoint: EventEndpoint = {
  id: 1,
  kind: 'webhook',
  description: 'Shop',
  url: 'https://shop.example.com/webhooks/latchkey',
  types: ['license.created', 'license.renewed', 'license.expired'],
  products: null,
  isOrdered: false,
  format: FORMAT,
  headerNames: ['Authorization'],
  publicKey: 'whpk_VlOZLdMlO1bFzKFRHbYhQ5eEUkWbqTcyAHtA1tLyzzs=',
  oldSecretUntil: null,
  state: 'enabled',
  disabledAs: null,
  lastSeq: 44,
  failures: 0,
  failingSince: null,
  pausedUntil: null,
  lastSuccessAt: NOW,
  lastFailureAt: null,
  lastError: null,
  createdAt: NOW,
  createdBy: 1,
  updatedAt: null,
  updatedBy: null,
};
const delivery: Delivery = {
  endpointId: endpoint.id,
  seq: 42,
  eventId: 10_407,
  state: 'failed',
  dueAt: NOW,
  attempts: ATTEMPTS_MAX,
  attemptedAt: NOW,
  status: 503,
  error: null,
  answer: 'Back soon',
  ms: 214,
};

/** Example data of answers, by the title of its schema, made by the code that makes the real answers. */
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
    to,
  ),
  DownloadCount: presentDownloadCount({
    releaseId: release.id,
    version: '1.4.0',
    day: '2031-02-03',
    downloads: 57,
  }),
  AuditEntry: presentAuditEntry(change),
  UsageCount: presentUsageCount({ day: '2031-02-03', counted: 'validations', count: 1_904 }),
  EventEndpoint: presentEndpoint(endpoint),
  EventEndpointWithSecret: presentEndpointWithSecret({
    endpoint,
    secret: 'whsec_yxT1jJ5bLnCmDWmrFHtUkPJZ0vHk8Rk1bqv5lM3sQ2o=',
  }),
  EventPage: { events: [exampleBody('license.created')], last_seq: 44, oldest_seq: 12, more: true },
  EventDelivery: presentDelivery({ delivery, event: exampleEvent('license.created'), nextAt: null }),
  Redelivered: { redelivered: 12 },
  Nothing: [],
};

/** Examples of validations, which succeed whatever the state of the license. */
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
