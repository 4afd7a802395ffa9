import type { Actor } from './actor.ts';
import type { ApiKey } from './api-key.ts';
import type { Datetime } from './datetime.ts';
import { downloadFilterShape } from './download.ts';
import {
  bad,
  type Created,
  datetime,
  type Field,
  oneOf,
  oneOrMany,
  optional,
  parameterName,
  reference,
} from './fields.ts';
import type { Generator } from './generator.ts';
import { type License, maskedKey } from './license.ts';
import type { Release } from './release.ts';
import type { Software } from './software.ts';
import type { User } from './user.ts';

/** Everything that the audit trail tells of. */
export const AUDIT_ACTIONS = [
  'activation.deactivate',
  'activation.reactivate',
  'activation.delete',
  'api_key.create',
  'api_key.replace_secret',
  'api_key.revoke',
  'api_key.rotate',
  'api_key.update',
  'generator.create',
  'generator.update',
  'generator.delete',
  'license.create',
  'license.update',
  'license.delete',
  'license.export',
  'license.generate',
  'license.import',
  'license.reveal',
  'master_key.rotate',
  'master_key.retire',
  'release.create',
  'release.update',
  'release.delete',
  'session.create',
  'session.end',
  'software.create',
  'software.update',
  'software.delete',
  'user.create',
  'user.update',
  'user.invite',
  'user.password',
  'user.totp',
  'user.recovery_codes',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export const SUBJECT_TYPES = [
  'api_key',
  'generator',
  'license',
  'master_key',
  'release',
  'software',
  'user',
] as const;
export type SubjectType = (typeof SUBJECT_TYPES)[number];
export interface Subject {
  type: SubjectType;
  /** Null where it is many records, or the one master key. */
  id: number | null;
}

/** Something that a command has done. */
export interface Fact {
  action: AuditAction;
  /** The record that it concerns (`subjectTypeOf`); null for many records, and for the one master key. */
  id: number | null;
  /** The record before the change; absent after a create. */
  before?: object;
  /** The record after the change; absent after a delete. */
  after?: object;
  /** Further values, by wire names. */
  about?: Readonly<Record<string, unknown>>;
}

/** What kind of record an action concerns: an activation is recorded at its license, a session at its user. */
export function subjectTypeOf(action: AuditAction): SubjectType {
  const kind = action.slice(0, action.indexOf('.'));
  if (kind === 'activation') return 'license';
  return kind === 'session' ? 'user' : (kind as SubjectType);
}

/** A change as it is kept: of an update the values that differ, else all of the record, by wire names. */
export interface AuditDetails {
  before?: Readonly<Record<string, unknown>>;
  after?: Readonly<Record<string, unknown>>;
  about?: Readonly<Record<string, unknown>>;
}

export interface AuditEntry {
  id: number;
  at: Datetime;
  action: AuditAction;
  userId: number;
  via: Actor['via'];
  apiKeyId: number | null;
  origin: string | null;
  subject: Subject;
  details: AuditDetails;
}

/** What is shown of each record: named one by one, so that no secret that is added to one gets here by itself. */
const SHOWN: { readonly [T in SubjectType]: readonly string[] } = {
  api_key: [
    'userId',
    'description',
    'keyEnding',
    'permission',
    'endpoints',
    'products',
    'expiresAt',
  ] satisfies (keyof ApiKey)[],
  generator: [
    'name',
    'charset',
    'chunks',
    'chunkLength',
    'separator',
    'prefix',
    'suffix',
    'activationsLimit',
    'expiresIn',
    'createdAt',
    'createdBy',
  ] satisfies (keyof Generator)[],
  license: [
    'key',
    'orderId',
    'productId',
    'userId',
    'expiresAt',
    'validFor',
    'source',
    'status',
    'activationsLimit',
    'createdAt',
    'createdBy',
  ] satisfies (keyof License)[],
  // Fingerprints are told beside it.
  master_key: [],
  release: [
    'softwareId',
    'version',
    'channel',
    'status',
    'yankReason',
    'changelog',
    'upgradeNotice',
    'rollout',
    'file',
    'publishedAt',
    'createdAt',
    'createdBy',
  ] satisfies (keyof Release)[],
  software: [
    'name',
    'slug',
    'type',
    'url',
    'productIds',
    'access',
    'tested',
    'requires',
    'requiresPhp',
    'icons',
    'banners',
    'createdAt',
    'createdBy',
  ] satisfies (keyof Software)[],
  user: ['name', 'email', 'role', 'disabledAt'] satisfies (keyof User)[],
};

type Values = Readonly<Record<string, unknown>>;

/** What is kept of a change; null where nothing differs but when, and by whom, it was last changed. */
export function detailsOf({ action, before, after, about }: Fact): AuditDetails | null {
  const names = SHOWN[subjectTypeOf(action)];
  const [was, is] = [before as Values | undefined, after as Values | undefined];
  if (!was || !is) {
    return {
      ...(was && { before: shown(was, names) }),
      ...(is && { after: shown(is, names) }),
      ...(about && { about }),
    };
  }
  const differing = names.filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]));
  if (differing.length === 0) return null;
  return { before: shown(was, differing), after: shown(is, differing), ...(about && { about }) };
}

function shown(record: Values, names: readonly string[]): Values {
  const found: Record<string, unknown> = {};
  for (const name of names) {
    const value = record[name];
    if (name === 'key') found.license_key = maskedKey(String(value));
    else found[wireName(name)] = name === 'file' ? withoutPlace(value as Release['file']) : shortened(value);
  }
  return found;
}

const wireNames = new Map<string, string>();
function wireName(name: string): string {
  let known = wireNames.get(name);
  if (known === undefined) {
    known = parameterName(name);
    wireNames.set(name, known);
  }
  return known;
}

const withoutPlace = (file: Release['file']) =>
  file && { name: file.name, type: file.type, size: file.size, sha256: file.sha256 };

const TEXT_MAX = 500;
const BEGINNING = 200;

/** A changelog may be 256 KiB, and nobody reads it here. */
function shortened(value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= TEXT_MAX) return value ?? null;
  return `${value.slice(0, BEGINNING).toWellFormed()}… (${value.length} characters)`;
}

/** `license:12` */
const subject: Field<Subject> = {
  schema: {
    type: 'string',
    pattern: `^(${SUBJECT_TYPES.join('|')}):[0-9]+$`,
    description: 'Of one record, by its kind and id',
    examples: ['license:12'],
  },
  read(value) {
    const [, type, id] = /^([a-z_]+):([0-9]+)$/.exec(typeof value === 'string' ? value : '') ?? [];
    const known = SUBJECT_TYPES.find((one) => one === type);
    const read = reference().read(id);
    if (known && read.ok) return { ok: true, value: { type: known, id: read.value } };
    return bad('not_subject', { kinds: SUBJECT_TYPES });
  },
};

/** Which entries. */
export const auditFilterShape = {
  action: optional(oneOrMany(oneOf(AUDIT_ACTIONS))),
  subject: optional(subject),
  apiKeyId: optional(reference()),
  userId: optional(reference()),
  from: optional(datetime),
  to: optional(datetime),
};
export type AuditFilter = Created<typeof auditFilterShape> & {
  /** How it was done; any way where it is null or left out. */
  via?: Actor['via'] | null;
};

/** What is counted by day instead of written down one by one. */
export const USAGES = ['activations', 'deactivations', 'validations'] as const;
export type Usage = (typeof USAGES)[number];

/** Of which days. */
export const usageFilterShape = { from: downloadFilterShape.from, to: downloadFilterShape.to };
export type UsageFilter = Created<typeof usageFilterShape>;

export interface UsageCount {
  /** YYYY-MM-DD, UTC */
  day: string;
  counted: Usage;
  count: number;
}

/** The end of the chain, as it can be noted elsewhere. */
export interface AuditHead {
  position: number;
  /** 64 hex digits. */
  hash: string;
}

/** `12:…64 hex digits…` */
export const auditHead: Field<AuditHead> = {
  schema: { type: 'string', pattern: '^[1-9][0-9]*:[0-9a-f]{64}$' },
  read(value) {
    const [, position, hash] =
      /^([1-9][0-9]*):([0-9a-f]{64})$/i.exec(typeof value === 'string' ? value : '') ?? [];
    const read = reference().read(position);
    if (read.ok && hash) return { ok: true, value: { position: read.value, hash: hash.toLowerCase() } };
    return bad('not_audit_head');
  },
};

export const headText = ({ position, hash }: AuditHead): string => `${position}:${hash}`;
