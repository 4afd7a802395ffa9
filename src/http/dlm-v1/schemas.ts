import Type from 'typebox';
import { AUDIT_ACTIONS, SUBJECT_TYPES, USAGES } from '../../domain/audit.ts';
import { LICENSE_STATUSES } from '../../domain/licenses/license.ts';
import { CHANNELS, RELEASE_STATUSES } from '../../domain/releases/release.ts';
import { ACCESSES } from '../../domain/releases/software.ts';
import { SEAT_MATCHES } from '../../domain/seats.ts';
import { record } from '../docs/components.ts';

/** The schemas of records in answers. */

export const orNull = <T>(type: 'integer' | 'string', description?: string) =>
  Type.Unsafe<T | null>({ type: [type, 'null'], ...(description && { description }) });
export const integer = (description?: string) => Type.Integer(description ? { description } : {});
/** An integer that is 0 for none, or null for none to an API key with plugin compatibility. */
const integerOrNone = (description?: string) =>
  orNull<number>(
    'integer',
    [description, 'With an API key of plugin compatibility, null instead of 0'].filter(Boolean).join('. '),
  );
export const datetime = (description = 'YYYY-MM-DD HH:MM:SS, UTC') =>
  Type.String({ description, examples: ['2031-02-03 04:05:06'] });
export const datetimeOrNull = (description = 'YYYY-MM-DD HH:MM:SS, UTC') =>
  orNull<string>('string', description);

export const made = {
  created_at: datetime(),
  created_by: integer(),
  updated_at: datetimeOrNull('Null until the first update'),
  updated_by: orNull<number>('integer'),
};
/** How devices share the seats of a license, what it grants, and how long its leases are valid. */
const terms = {
  seat_ttl: integer(
    'Seconds that a floating seat is held after the last activate or validate; 0: node-locked',
  ),
  reclaim_after_days: integer('Days unseen after which a device may lose its seat; 0: never'),
  match: Type.String({ enum: [...SEAT_MATCHES] }),
  borrow_max_hours: integer('Hours that a floating seat may be borrowed for; 0: none'),
  takeovers_per_month: integer('Seats that the customer may take over within 30 days; 0: none'),
  entitlements: Type.Array(Type.String(), { description: 'Names of the features that the customer may use' }),
  lease_refresh_hours: integer('Hours after which programs fetch a new lease'),
  lease_days: integer('Days that a lease is good for'),
  lease_grace_days: integer('Days after that in which programs go on with a warning'),
  offline_lease_days: integer('Days that the lease of a device without network is good for'),
};
const licenseProperties = {
  id: integer(),
  order_id: orNull<number>('integer', 'Number of the order in your shop'),
  product_id: orNull<number>('integer', 'Number of the product in your shop'),
  user_id: orNull<number>('integer', 'Number of the customer in your shop'),
  license_key: Type.String(),
  expires_at: datetimeOrNull(),
  valid_for: integerOrNone('Days; 0 without a period'),
  source: integer('1 generator, 2 import, 3 API, 4 migration'),
  status: integer(LICENSE_STATUSES.map((name, i) => `${i + 1} ${name}`).join(', ')),
  times_activated: integer('Valid activations'),
  activations_limit: integer('0 means no limit'),
  is_expired: Type.Boolean(),
  ...made,
  created_by: integerOrNone(),
  ...terms,
};
const MASKED_LABEL =
  'Masked for activations of other devices if the API key lacks licenses.inspect and the label identifies the device';
const activationProperties = {
  id: integer(),
  token: Type.String({
    description:
      'Unguessable; identifies the activation in addresses. Empty, like the address, user agent and metadata, for ' +
      'activations of other devices if the API key lacks licenses.inspect',
  }),
  license_id: integer(),
  software_id: orNull<number>('integer', 'The software that was activated'),
  label: orNull<string>('string', MASKED_LABEL),
  source: integer('1 console, 2 API, 3 migration'),
  ip_address: Type.String({ description: 'Empty when unknown' }),
  user_agent: Type.String({ description: 'Empty when unknown' }),
  meta_data: Type.Unsafe<object>({
    anyOf: [
      { type: 'object', additionalProperties: true },
      { type: 'array', items: {}, maxItems: 0 },
    ],
    description: 'An object, or an empty list without metadata',
  }),
  created_at: datetime(),
  updated_at: datetimeOrNull('Null until the first deactivation'),
  deactivated_at: datetimeOrNull('Null while the activation is valid'),
  seat_expires_at: datetimeOrNull('When a floating seat lapses; null if node-locked'),
  last_seen_at: datetimeOrNull('Updated at most once in six hours; null if not seen since the activation'),
};
const generatorProperties = {
  id: integer(),
  name: Type.String(),
  charset: Type.String(),
  chunks: integer(),
  chunk_length: integer(),
  activations_limit: integerOrNone('0 means no limit'),
  separator: Type.String(),
  prefix: orNull<string>('string'),
  suffix: orNull<string>('string'),
  expires_in: integerOrNone('Days; 0 means never'),
  ...made,
  created_by: integerOrNone(),
  ...terms,
};

export const License = record('License', licenseProperties);
export const Activation = record('Activation', activationProperties);
export const LicensedActivation = record('LicensedActivation', { ...activationProperties, license: License });
export const LicenseWithActivations = record('LicenseWithActivations', {
  ...licenseProperties,
  activations: Type.Array(Activation, { description: 'The valid activations, newest first' }),
});
export const Generator = record('Generator', generatorProperties);
export const ChangedGenerator = record('ChangedGenerator', {
  ...generatorProperties,
  chunkLength: integer(),
  timesActivatedMax: integerOrNone(),
  expiresIn: integerOrNone(),
  createdAt: datetime(),
  createdBy: integerOrNone(),
  updatedAt: datetimeOrNull(),
  updatedBy: orNull<number>('integer'),
});
// Not Type.Record: its pattern excludes names with line breaks.
const pictures = Type.Object({}, { additionalProperties: Type.String(), description: 'Addresses by name' });
export const Software = record('Software', {
  id: integer(),
  name: Type.String(),
  slug: Type.String(),
  type: Type.String(),
  url: Type.String(),
  product_ids: Type.Array(Type.Integer(), { description: 'Empty if every license covers it' }),
  access: Type.String({ enum: [...ACCESSES] }),
  tested: Type.String(),
  requires: Type.String(),
  requires_php: Type.String(),
  icons: pictures,
  banners: pictures,
  ...made,
});
export const Release = record('Release', {
  id: integer(),
  software_id: integer(),
  version: Type.String(),
  channel: Type.String({ enum: [...CHANNELS] }),
  status: Type.String({ enum: [...RELEASE_STATUSES] }),
  changelog: Type.String(),
  upgrade_notice: Type.String(),
  rollout: integer('The percentage of activations that the release is offered to'),
  file_name: Type.String({ description: 'Empty for a draft without a file, as are the next three' }),
  mime_type: Type.String(),
  size: integer('Bytes'),
  sha256: Type.String({ description: 'Hex' }),
  sha512: Type.String({ description: 'Hex' }),
  published_at: datetimeOrNull('The first publication'),
  ...made,
});
export const Update = record('Update', {
  name: Type.String(),
  version: Type.String({ description: 'The highest version on offer; empty without one' }),
  license: Type.String({
    description: 'The license key; empty if the activation gives no right to updates',
  }),
  download_url: Type.String({
    description:
      'Valid for some hours, with the credentials of the request; empty if there is nothing to download',
  }),
  url: Type.String(),
  details: Type.Object({
    name: Type.String(),
    slug: Type.String(),
    tested: Type.String(),
    requires: Type.String(),
    requires_php: Type.String(),
    last_updated: Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC; empty without a release' }),
    stable_tag: Type.String({ description: 'The same as version' }),
    version: Type.Optional(
      Type.String({
        description:
          'The same again, with an API key of compatibility "plugin": WordPress shows it in the details of an update',
      }),
    ),
    external: Type.Optional(
      Type.Boolean({
        description:
          'True with an API key of compatibility "plugin": WordPress then links no page of its directory',
      }),
    ),
    versions: Type.Array(Type.String(), { description: 'The versions on offer, newest first' }),
    upgrade_notice: Type.Optional(Type.String()),
    icons: Type.Optional(pictures),
    banners: Type.Optional(pictures),
    sections: Type.Object({
      changelog: Type.String({
        description:
          'Newest first. With more than 64 KiB, the Link header has the rest. With an API key of compatibility "plugin", safe HTML with a heading for each version',
      }),
    }),
  }),
});
export const DownloadCount = record('DownloadCount', {
  release_id: integer(),
  version: Type.String(),
  day: Type.String({ description: 'YYYY-MM-DD, UTC' }),
  downloads: integer(),
});
const values = (description: string) =>
  Type.Unsafe<object | null>({ type: ['object', 'null'], additionalProperties: true, description });

export const AuditEntry = record('AuditEntry', {
  id: Type.Integer(),
  at: datetime(),
  action: Type.String({ enum: [...AUDIT_ACTIONS] }),
  user_id: Type.Integer(),
  via: Type.String({ enum: ['api', 'cli', 'console', 'system'] }),
  api_key_id: orNull<number>('integer', 'The API key of the request; null without one'),
  origin: orNull<string>(
    'string',
    'The address of the client, or user@host of the command line; null for the system',
  ),
  subject_type: Type.String({ enum: [...SUBJECT_TYPES] }),
  subject_id: orNull<number>('integer', 'Null for the master key, and for many records at once'),
  before: values('The values before; of an update, those that differ; null if the record was created'),
  after: values('The values after; null if the record was deleted'),
  about: values('Further details'),
});
export const UsageCount = record('UsageCount', {
  day: Type.String({ description: 'YYYY-MM-DD, UTC' }),
  counted: Type.String({ enum: [...USAGES] }),
  count: Type.Integer(),
});
export const LicenseKeys = Type.Array(Type.String(), { title: 'LicenseKeys' });
export const Nothing = Type.Array(Type.Null(), { title: 'Nothing', maxItems: 0 });
