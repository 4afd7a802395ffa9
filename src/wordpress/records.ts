import { hash } from 'node:crypto';
import { ACTIVATION_SOURCE, type ActivationMeta, activationMeta } from '../domain/activation.ts';
import { isConsumerSecret, PERMISSIONS } from '../domain/api-key.ts';
import type { Datetime } from '../domain/datetime.ts';
import { bad, good, MAX_COUNT, MAX_REFERENCE, oneOf, reference, refined, text } from '../domain/fields.ts';
import { generatorShape } from '../domain/generator.ts';
import { INACTIVE, LICENSE_SOURCE, LICENSE_STATUSES, licenseKey } from '../domain/licenses/license.ts';
import { metaValue } from '../domain/licenses/license-notes.ts';
import { BadRow, Cells, noteOf } from './cells.ts';
import { type Customers, customerEmailOf } from './customers.ts';
import { openDefuse } from './defuse.ts';
import { enabledOfLmfwc, endpointsOf } from './endpoints.ts';
import { readPhp } from './php.ts';
import { keyHashOf, type Secrets } from './secrets.ts';
import type { Plugin, ShopActivation, ShopApiKey, ShopKind, ShopLicense, ShopRecord } from './shop.ts';
import type { Row } from './source.ts';

/** Values with which the rows of a shop are read. */
export interface Reading {
  plugin: Plugin;
  /** 2 or 3: the version of LMFWC, or of the LMFWC API that DLM imitates. */
  version: 2 | 3;
  secrets: Secrets;
  /** The value of `LMFWC_SETTINGS`; null if it was not found. */
  settings: string | null;
  customers: Customers;
  /** The time of the move. */
  now: Datetime;
}

/** The columns that a digest covers. Missing ones count as null, so that an upgrade of the plugin changes no digest. */
const DIGESTED: Record<ShopKind, readonly string[]> = {
  license: [
    ...['id', 'order_id', 'product_id', 'user_id', 'license_key', 'hash', 'valid_for', 'expires_at'],
    ...['source', 'status', 'activations_limit', 'times_activated_max'],
    ...['created_at', 'created_by', 'updated_at', 'updated_by'],
  ],
  license_meta: ['meta_id', 'license_id', 'meta_key', 'meta_value'],
  activation: [
    ...['id', 'token', 'license_id', 'label', 'source', 'ip_address', 'user_agent', 'meta_data'],
    ...['created_at', 'updated_at', 'deactivated_at'],
  ],
  generator: [
    ...['id', 'name', 'charset', 'chunks', 'chunk_length', 'activations_limit', 'times_activated_max'],
    ...['separator', 'prefix', 'suffix', 'expires_in'],
    ...['created_at', 'created_by', 'updated_at', 'updated_by'],
  ],
  // Without last_access and updated_at, which change with each use.
  api_key: [
    ...['id', 'user_id', 'description', 'permissions', 'endpoints', 'consumer_key', 'consumer_secret'],
    ...['truncated_key', 'created_at', 'created_by'],
  ],
};

const LABEL_MAX = 255;
const IP_ADDRESS_MAX = 255;
/** The same as for the User-Agent of a request. */
const USER_AGENT_MAX = 512;
const META_NAME_MAX = 255;
const META_VALUE_MAX = 2 ** 32;

const TOKEN = refined(text({ min: 1, max: 255 }), (token) =>
  /[\p{Cc}\uFFFD]/u.test(token) ? bad('not_text') : good(token),
);
const WC_API_HASH = refined(text({ max: 64 }), (hex) =>
  /^[\da-f]{64}$/i.test(hex) ? good(hex) : bad('not_text'),
);
const SECRET = refined(text({ max: 255 }), (secret) =>
  isConsumerSecret(secret) ? good(secret) : bad('not_text'),
);
const PERMISSION = oneOf(PERMISSIONS);
const ID = refined(reference(), (id) =>
  id > 0 ? good(id) : bad('out_of_range', { min: 1, max: MAX_REFERENCE }),
);

/** The record of a row. @throws Error if the row cannot be told from others by its id */
export function recordOf(kind: ShopKind, table: string, row: Row, reading: Reading): ShopRecord {
  const cells = new Cells(row, reading.now);
  const idText = cells.raw(kind === 'license_meta' ? 'meta_id' : 'id');
  const id = ID.read(idText);
  if (!id.ok) throw new Error(`${table} has a row whose id is ${idText}: ids go from 1 to ${MAX_REFERENCE}`);
  // LMFWC writes these columns of a license at each activation and deactivation.
  const unused =
    kind === 'license' && reading.plugin === 'lmfwc' ? { ...row, updated_at: null, updated_by: null } : null;
  const common = {
    id: id.value,
    digest: digestOf(kind, unused ?? row, reading),
    notes: cells.notes,
    ...(unused && { formerDigest: digestOf(kind, row, reading) }),
  };
  try {
    return { ...common, kind, record: READERS[kind](cells, reading) } as ShopRecord;
  } catch (error) {
    if (!(error instanceof BadRow)) throw error;
    return { ...common, kind, notes: [...cells.notes, error.note], record: null };
  }
}

const READERS: { [Kind in ShopKind]: (cells: Cells, reading: Reading) => RecordOf<Kind> } = {
  license: licenseOf,
  license_meta: (cells) => ({
    licenseId: cells.needed('license_id', ID),
    name: cells.needed('meta_key', text({ min: 1, max: META_NAME_MAX })),
    value: metaValueOf(cells),
  }),
  activation: activationOf,
  generator: (cells) => ({
    name: cells.needed('name', generatorShape.name.field),
    charset: cells.needed('charset', generatorShape.charset.field),
    chunks: cells.needed('chunks', generatorShape.chunks.field),
    chunkLength: cells.needed('chunk_length', generatorShape.chunkLength.field),
    activationsLimit: limitOf(cells),
    separator: cells.needed('separator', generatorShape.separator.field),
    prefix: cells.needed('prefix', generatorShape.prefix.field) || null,
    suffix: cells.needed('suffix', generatorShape.suffix.field) || null,
    expiresIn: cells.number('expires_in', MAX_COUNT) ?? 0,
    ...stampsOf(cells),
  }),
  api_key: apiKeyOf,
};

type RecordOf<Kind extends ShopKind> = NonNullable<Extract<ShopRecord, { kind: Kind }>['record']>;

function licenseOf(cells: Cells, { secrets, customers }: Reading): ShopLicense {
  const opened = openDefuse(cells.raw('license_key') ?? '', secrets.encryptionKey);
  if (opened === null) throw new BadRow(noteOf('not_decrypted', 'license_key'));
  const key = licenseKey.read(opened);
  if (!key.ok) throw new BadRow(noteOf('bad_row', 'license_key'));
  if (cells.raw('hash')?.toLowerCase() !== keyHashOf(opened, secrets)) cells.note('hash_differs', 'hash');
  const orderId = cells.number('order_id', MAX_REFERENCE);
  const userId = cells.number('user_id', MAX_REFERENCE);
  return {
    key: key.value,
    orderId,
    productId: cells.number('product_id', MAX_REFERENCE),
    userId,
    customerEmail: customerEmailOf(cells, customers, userId, orderId),
    expiresAt: cells.date('expires_at'),
    validFor: cells.number('valid_for', MAX_COUNT) ?? 0,
    source: cells.numbered('source', LICENSE_SOURCE.migration, LICENSE_SOURCE.migration, 'unknown_source'),
    status: cells.numbered<number>('status', LICENSE_STATUSES.length, INACTIVE, 'unknown_status'),
    activationsLimit: limitOf(cells),
    ...stampsOf(cells),
  };
}

/** Returns the value unchanged: text in PHP's serialize format contains its own length, and is unreadable after a change. */
function metaValueOf(cells: Cells): string | null {
  if (cells.raw('meta_value') === null) return null;
  const value = cells.needed('meta_value', text({ max: META_VALUE_MAX }));
  if (!metaValue.read(value).ok) cells.note('long_meta', 'meta_value', value);
  return value;
}

/** The column is times_activated_max in LMFWC. */
const limitOf = (cells: Cells): number =>
  cells.number('activations_limit', MAX_COUNT) ?? cells.number('times_activated_max', MAX_COUNT) ?? 0;

const stampsOf = (cells: Cells) => ({
  createdAt: cells.neededDate('created_at'),
  createdBy: cells.number('created_by', MAX_REFERENCE) ?? 0,
  updatedAt: cells.date('updated_at'),
  updatedBy: cells.number('updated_by', MAX_REFERENCE),
});

function activationOf(cells: Cells): ShopActivation {
  return {
    token: cells.needed('token', TOKEN, { secret: true }),
    licenseId: cells.needed('license_id', ID),
    softwareId: null,
    label: cells.text('label', LABEL_MAX),
    source: cells.numbered(
      'source',
      ACTIVATION_SOURCE.migration,
      ACTIVATION_SOURCE.migration,
      'unknown_source',
    ),
    ipAddress: cells.text('ip_address', IP_ADDRESS_MAX) || null,
    userAgent: cells.text('user_agent', USER_AGENT_MAX) || null,
    meta: metaOf(cells),
    createdAt: cells.neededDate('created_at'),
    updatedAt: cells.date('updated_at'),
    // To the plugins, an activation is valid only while this is NULL.
    deactivatedAt: cells.raw('deactivated_at') === null ? null : cells.neededDate('deactivated_at'),
  };
}

/** Texts that the plugins store if there is no metadata. */
const NO_META = new Set(['', '[]', '{}', 'null', 'N;', 'a:0:{}']);

/** DLM stores JSON, LMFWC what PHP's serialize writes. */
function metaOf(cells: Cells): ActivationMeta | null {
  const stored = cells.raw('meta_data')?.trim() ?? '';
  if (NO_META.has(stored)) return null;
  const json = /^[aObidsN][:;]/.test(stored) ? JSON.stringify(readPhp(stored), withoutBigInt) : stored;
  const read = activationMeta.read(json === undefined || !cells.isText('meta_data') ? null : jsonOf(json));
  if (!read.ok || read.value === null) cells.note('bad_meta', 'meta_data', stored);
  return read.ok ? read.value : null;
}

const withoutBigInt = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function apiKeyOf(cells: Cells, { plugin, version, settings }: Reading): ShopApiKey {
  const endpoints = endpointsOf(cells, plugin, version, settings);
  if (endpoints.length === 0) throw new BadRow(noteOf('no_endpoints', plugin === 'dlm' ? 'endpoints' : null));
  return {
    description: cells.text('description', 255) ?? '',
    keyEnding: cells.text('truncated_key', 7) ?? '',
    keyHash: Buffer.from(cells.needed('consumer_key', WC_API_HASH, { secret: true }), 'hex'),
    secretHash: hash('sha256', cells.needed('consumer_secret', SECRET, { secret: true }), 'buffer'),
    permission: cells.needed('permissions', PERMISSION),
    endpoints,
    lmfwcVersion: version,
    lastAccessAt: cells.date('last_access'),
    createdAt: cells.neededDate('created_at'),
  };
}

function digestOf(kind: ShopKind, row: Row, { plugin, version, settings }: Reading): Uint8Array {
  // The routes of LMFWC's API keys are in its settings, among others that do not matter, and depend on its version.
  const isLmfwcKey = kind === 'api_key' && plugin === 'lmfwc';
  const more = isLmfwcKey ? [version, settings && enabledOfLmfwc(settings).sort()] : [];
  const values = DIGESTED[kind].map((column) => row[column]?.toString('latin1') ?? null);
  return hash('sha256', JSON.stringify([...values, ...more]), 'buffer');
}
