import type { LicensedActivation } from './activation.ts';
import type { Actor } from './actor.ts';
import type { ApiKey } from './api-key.ts';
import type { Datetime } from './datetime.ts';
import type { EventEndpoint } from './events/endpoint.ts';
import {
  bad,
  type Created,
  datetime,
  type Field,
  good,
  oneOf,
  oneOrMany,
  optional,
  reference,
} from './fields.ts';
import { templateShape } from './generator.ts';
import { type License, maskedKey } from './licenses/license.ts';
import type { LicenseNotes } from './licenses/license-notes.ts';
import { dotted, snakeName } from './names.ts';
import { downloadFilterShape } from './releases/download.ts';
import type { Release } from './releases/release.ts';
import { softwareShape } from './releases/software.ts';
import { shortened } from './shortened.ts';
import { TERM_FIELDS } from './terms.ts';
import type { User } from './user.ts';

/** The actions that the audit trail records. */
export const AUDIT_ACTIONS = dotted({
  /** `add`: created by hand in the console. */
  activation: ['add', 'deactivate', 'reactivate', 'extend', 'lease', 'delete'],
  api_key: ['create', 'replace_secret', 'revoke', 'rotate', 'update'],
  generator: ['create', 'update', 'delete'],
  event_endpoint: ['create', 'update', 'delete', 'rotate_secret'],
  license: [
    ...([
      'create',
      'update',
      'delete',
      'restore',
      'remove',
      'export',
      'generate',
      'import',
      'lease',
    ] as const),
    ...(['move_in', 'reveal'] as const),
  ],
  master_key: ['rotate', 'retire'],
  release: ['create', 'update', 'delete'],
  session: ['create', 'end'],
  signing_key: ['create', 'rotate', 'export_root', 'use_spare'],
  software: ['create', 'update', 'delete'],
  user: ['create', 'update', 'invite', 'password', 'totp', 'recovery_codes'],
});
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Further actions that commands report. Not in the audit trail, because programs cause them many times a minute. */
const UNAUDITED_ACTIONS = dotted({ activation: ['create', 'lapse'] });
export type Action = AuditAction | (typeof UNAUDITED_ACTIONS)[number];

export const isAudited = (action: Action): action is AuditAction =>
  (AUDIT_ACTIONS as readonly Action[]).includes(action);

/** The fields of each kind of record that entries show. Listed by name: a new secret field stays out of the trail. */
const SHOWN = {
  api_key: [
    'userId',
    'description',
    'keyEnding',
    'permission',
    'endpoints',
    'products',
    'compatibility',
    'lmfwcVersion',
    'expiresAt',
  ] satisfies (keyof ApiKey)[],
  event_endpoint: [
    'kind',
    'url',
    'description',
    'types',
    'products',
    'isOrdered',
    'headerNames',
    'state',
    'createdAt',
    'createdBy',
  ] satisfies (keyof EventEndpoint)[],
  generator: [
    ...['name', ...Object.keys(templateShape)],
    ...['activationsLimit', 'expiresIn', ...TERM_FIELDS, 'createdAt', 'createdBy'],
  ],
  license: [
    'key',
    'orderId',
    'productId',
    'userId',
    'customerEmail',
    'expiresAt',
    'validFor',
    'source',
    'status',
    'activationsLimit',
    ...TERM_FIELDS,
    'createdAt',
    'createdBy',
  ] satisfies (keyof License)[],
  /** Entries hold fingerprints of the keys in `about`. */
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
  /** Entries hold ids of the keys in `about`. */
  signing_key: [],
  software: [...Object.keys(softwareShape), 'createdAt', 'createdBy'],
  user: ['name', 'email', 'role', 'disabledAt'] satisfies (keyof User)[],
} satisfies Record<string, string[]>;

/** Further fields that an update may change. */
const SHOWN_IN_UPDATES: Partial<Record<keyof typeof SHOWN, readonly string[]>> = {
  license: ['note', 'tags', 'meta'] satisfies (keyof LicenseNotes)[],
};

export type SubjectType = keyof typeof SHOWN;
export const SUBJECT_TYPES = Object.keys(SHOWN) as SubjectType[];
export interface Subject {
  type: SubjectType;
  /** Null for many records, for the master key, and for signing keys. */
  id: number | null;
}

/** A change that a command has made. */
export interface Fact {
  action: Action;
  /** Id of the record (`subjectTypeOf`); null for many records, for the master key, and for signing keys. */
  id: number | null;
  /** The record before the change; absent after a create. */
  before?: object;
  /** The record after the change; absent after a delete. */
  after?: object;
  /** Further values, by wire names. */
  about?: Values;
  /** Set to record the fact even if the command's `audit` would not. */
  always?: true;
  /** The activation after the change, and its license, for events only. */
  seat?: LicensedActivation;
  /** Activations whose seats have lapsed, and the product of their license. */
  lapsed?: { ids: readonly number[]; productId: number | null };
  /** When a restored license was deleted, for events only. */
  deletedAt?: Datetime;
  /** The batch that the licenses came from, while it is still staged. */
  batch?: string;
}

/** The type of record that an action concerns. Activations are recorded at their license, sessions at their user. */
export function subjectTypeOf(action: Action): SubjectType {
  const kind = action.slice(0, action.indexOf('.'));
  if (kind === 'activation') return 'license';
  return kind === 'session' ? 'user' : (kind as SubjectType);
}

type Values = Readonly<Record<string, unknown>>;

/** Returns the values of a record that the audit trail records, in a fixed order. */
export const recordedValues = (type: SubjectType, record: object): unknown[] =>
  SHOWN[type].map((name) => (record as Values)[name] ?? null);

/** The stored form of a change, by wire names: for an update the values that differ, else the whole record. */
export type AuditDetails = { before?: Values; after?: Values; about?: Values };

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

/** Returns the details of a fact; null for an update that changed no shown value (not `updatedAt` and `updatedBy`). */
export function detailsOf({ action, before, after, about }: Fact): AuditDetails | null {
  const type = subjectTypeOf(action);
  const names: readonly string[] = SHOWN[type];
  const [was, is] = [before as Values | undefined, after as Values | undefined];
  const differs = (name: string) => JSON.stringify(was?.[name]) !== JSON.stringify(is?.[name]);
  const shown = was && is ? [...names, ...(SHOWN_IN_UPDATES[type] ?? [])].filter(differs) : names;
  if (was && is && shown.length === 0) return null;
  return {
    ...(was && { before: shownValues(was, shown) }),
    ...(is && { after: shownValues(is, shown) }),
    ...(about && { about }),
  };
}

function shownValues(record: Values, names: readonly string[]): Values {
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const value = record[name];
    if (name === 'key') values.license_key = maskedKey(String(value));
    else values[snakeName(name)] = name === 'file' ? publicFile(value as Release['file']) : shortened(value);
  }
  // Of an object that was filled name by name, V8 keeps a dictionary, which takes three times as long to write as JSON.
  return { ...values };
}

const publicFile = (file: Release['file']) =>
  file && { name: file.name, type: file.type, size: file.size, sha256: file.sha256 };

/** Reads a record written as `license:12`. */
const subject: Field<Subject> = {
  schema: {
    type: 'string',
    pattern: `^(${SUBJECT_TYPES.join('|')}):[0-9]+$`,
    description: 'Entries about one record, by its kind and id',
    examples: ['license:12'],
  },
  read(value) {
    const [, type, id] = /^([a-z_]+):([0-9]+)$/.exec(typeof value === 'string' ? value : '') ?? [];
    const known = SUBJECT_TYPES.find((one) => one === type);
    const read = reference().read(id);
    if (known && read.ok) return good({ type: known, id: read.value });
    return bad('not_subject', { kinds: SUBJECT_TYPES });
  },
};

export const auditFilterShape = {
  action: optional(oneOrMany(oneOf(AUDIT_ACTIONS))),
  subject: optional(subject),
  apiKeyId: optional(reference()),
  userId: optional(reference()),
  from: optional(datetime),
  to: optional(datetime),
};
export type AuditFilter = Created<typeof auditFilterShape> & {
  via?: Actor['via'] | null;
  /** Only entries about one of these licenses. */
  licenseIds?: readonly number[];
};

/** Actions that are counted by day instead of recorded one by one. */
export const USAGES = ['activations', 'deactivations', 'validations'] as const;
export type Usage = (typeof USAGES)[number];

export const usageFilterShape = { from: downloadFilterShape.from, to: downloadFilterShape.to };
export type UsageFilter = Created<typeof usageFilterShape>;

export interface UsageCount {
  /** YYYY-MM-DD, UTC */
  day: string;
  counted: Usage;
  count: number;
}

/** The end of the chain, for an administrator to note elsewhere. */
export interface AuditHead {
  position: number;
  /** 64 hex digits. */
  hash: string;
}

/** Reads a head written as a position, a colon and 64 hex digits. */
export const auditHead: Field<AuditHead> = {
  schema: { type: 'string', pattern: '^[1-9][0-9]*:[0-9a-f]{64}$' },
  read(value) {
    const [, position, hash] =
      /^([1-9][0-9]*):([0-9a-f]{64})$/i.exec(typeof value === 'string' ? value : '') ?? [];
    const read = reference().read(position);
    if (read.ok && hash) return good({ position: read.value, hash: hash.toLowerCase() });
    return bad('not_audit_head');
  },
};

export const headText = ({ position, hash }: AuditHead): string => `${position}:${hash}`;
