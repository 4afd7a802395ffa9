import { addDays, type Datetime } from './datetime.ts';
import {
  bad,
  type Created,
  datetime,
  type Field,
  flag,
  integer,
  listOf,
  optional,
  readCreate,
  reference,
  required,
} from './fields.ts';
import { type License, type LicenseChanges, type LicenseStatus, licenseStatus } from './license.ts';
import { done, invalid, type Outcome } from './refusal.ts';

/** What many licenses can have done to them at once. */
export type BulkChange = { status: LicenseStatus } | { extendDays: number } | { expiresAt: Datetime | null };

/** What a license had before a change, and what that gave it: sent again, it undoes the change. */
export interface PreviousValues {
  id: number;
  status: LicenseStatus;
  expiresAt: Datetime | null;
  setStatus: LicenseStatus;
  setExpiresAt: Datetime | null;
}

/** Licenses that one command changes at most. */
export const BULK_MAX = 500;
export const someLicenses = listOf(reference(), BULK_MAX, 'Ids of licenses');

const NEVER = 'never';
const expiresAt: Field<Datetime | typeof NEVER> = {
  schema: { ...datetime.schema, description: `As a time of the API, or "${NEVER}"` },
  read: (value) => (value === NEVER ? { ok: true, value: NEVER } : datetime.read(value)),
};

const previousShape = {
  id: required(reference()),
  status: required(licenseStatus),
  expiresAt: optional(datetime),
  setStatus: required(licenseStatus),
  setExpiresAt: optional(datetime),
};
const nullableText = { anyOf: [{ type: 'string' }, { type: 'null' }] };
const previousValues: Field<PreviousValues> = {
  schema: {
    type: 'object',
    required: ['id', 'status', 'expires_at', 'set_status', 'set_expires_at'],
    properties: {
      id: { type: 'integer' },
      status: { type: 'integer' },
      expires_at: nullableText,
      set_status: { type: 'integer' },
      set_expires_at: nullableText,
    },
  },
  read(value) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    const read = readCreate(previousShape, isObject ? (value as Record<string, unknown>) : {});
    return read.ok ? read : bad('bad_previous', { fields: read.problems });
  },
};

/** Where somebody has deleted some of them, the others are to be changed all the same. */
export const skipGone = optional(flag);

/** A change of many licenses, or, with `restore` alone, what undoes one. */
export const bulkShape = {
  ids: optional(someLicenses),
  status: optional(licenseStatus),
  extendDays: optional(integer({ min: 1, max: 36_500, description: 'Days by which they expire later' })),
  expiresAt: optional(expiresAt),
  restore: optional(listOf(previousValues, BULK_MAX, 'What an earlier change answered as `previous`')),
  skipGone,
};

export type Bulk = (
  | { ids: readonly number[]; change: BulkChange }
  | { restore: readonly PreviousValues[] }
) & { skipGone?: boolean };

/** What is to be done, which is one thing. */
export function bulkOf({
  ids,
  restore,
  skipGone: skips,
  ...changes
}: Created<typeof bulkShape>): Outcome<Bulk> {
  const skipGone = skips ?? false;
  if (restore !== null) return done({ restore, skipGone });
  if (ids === null) return invalid('ids', 'required');
  const sent = Object.entries(changes).filter(([, value]) => value !== null);
  const [only] = sent;
  if (!only || sent.length > 1) return invalid('status', 'one_change');
  const [name, value] = only;
  return done({ ids, skipGone, change: { [name]: value === NEVER ? null : value } as BulkChange });
}

/**
 * What undoes a change, of what that has changed; null where somebody has changed it since, which is theirs to undo. One
 * that has all of it as it was needs nothing.
 */
export function restored(
  license: Pick<License, 'status' | 'expiresAt'>,
  { status, expiresAt, setStatus, setExpiresAt }: PreviousValues,
): LicenseChanges | null {
  const changes: LicenseChanges = {
    ...(status !== setStatus && { status }),
    ...(expiresAt !== setExpiresAt && { expiresAt }),
  };
  const isUndone =
    (changes.status ?? license.status) === license.status &&
    (!('expiresAt' in changes) || expiresAt === license.expiresAt);
  if (isUndone) return {};
  const isOthers =
    ('status' in changes && license.status !== setStatus) ||
    ('expiresAt' in changes && license.expiresAt !== setExpiresAt);
  return isOthers ? null : changes;
}

/** When a license expires that is extended: days after it would, or after now where it has; one that never does stays so. */
export function extended(
  { expiresAt }: Pick<License, 'expiresAt'>,
  days: number,
  now: Datetime,
): Outcome<Datetime | null> {
  if (expiresAt === null) return done(null);
  const at = addDays(expiresAt > now ? expiresAt : now, days);
  return at === null ? invalid('extendDays', 'past_year_9999') : done(at);
}
