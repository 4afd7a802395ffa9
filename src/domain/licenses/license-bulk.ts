import { addDays, type Datetime } from '../datetime.ts';
import {
  bad,
  type Created,
  datetime,
  type Field,
  flag,
  good,
  integer,
  isObject,
  listOf,
  optional,
  readCreate,
  reference,
  required,
} from '../fields.ts';
import { done, invalid, type Outcome } from '../refusal.ts';
import { type License, type LicenseChanges, type LicenseStatus, licenseStatus } from './license.ts';

/** A change of many licenses at once. */
export type BulkChange = { status: LicenseStatus } | { extendDays: number } | { expiresAt: Datetime | null };

/** The values of a license before and after a change. A client sends them back as `restore` to undo the change. */
export interface PreviousValues {
  id: number;
  status: LicenseStatus;
  expiresAt: Datetime | null;
  setStatus: LicenseStatus;
  setExpiresAt: Datetime | null;
}

/** The most licenses that one command changes. */
export const BULK_MAX = 500;
export const someLicenses = listOf(reference(), BULK_MAX, 'Ids of licenses');

/** Value of `expires_at`: the license never expires, even with a `valid_for`. */
export const NEVER = 'never';
const expiresAt: Field<Datetime | typeof NEVER> = {
  schema: { ...datetime.schema, description: `As a time of the API, or "${NEVER}"` },
  read: (value) => (value === NEVER ? good(NEVER) : datetime.read(value)),
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
    const read = readCreate(previousShape, isObject(value) ? value : {});
    return read.ok ? read : bad('bad_previous', { fields: read.problems });
  },
};

/** Whether to skip licenses that were deleted meanwhile, instead of refusing the whole change. */
export const skipGone = optional(flag);

/** The parameters of a bulk change: `ids` and one change, or only `restore`. */
export const bulkShape = {
  ids: optional(someLicenses),
  status: optional(licenseStatus),
  extendDays: optional(integer({ min: 1, max: 36_500, description: 'Days to add to the expiry' })),
  expiresAt: optional(expiresAt),
  restore: optional(listOf(previousValues, BULK_MAX, 'What an earlier change answered as `previous`')),
  skipGone,
};

export type Bulk = (
  | { ids: readonly number[]; change: BulkChange }
  | { restore: readonly PreviousValues[] }
) & { skipGone?: boolean };

/** Reads the one change that the parameters must name. */
export function bulkOf(input: Created<typeof bulkShape>): Outcome<Bulk> {
  const { ids, restore, skipGone: skips, ...changes } = input;
  const skipGone = skips ?? false;
  if (restore !== null) return done({ restore, skipGone });
  if (ids === null) return invalid('ids', 'required');
  const [only, ...more] = Object.entries(changes).filter(([, value]) => value !== null);
  if (!only || more.length > 0) return invalid('status', 'one_change');
  const [name, value] = only;
  return done({ ids, skipGone, change: { [name]: value === NEVER ? null : value } as BulkChange });
}

/** Returns the changes that undo an earlier change: `{}` if nothing differs, null if the license was changed again since. */
export function restored(
  license: Pick<License, 'status' | 'expiresAt'>,
  { status, expiresAt, setStatus, setExpiresAt }: PreviousValues,
): LicenseChanges | null {
  const values = [['status', status, setStatus] as const, ['expiresAt', expiresAt, setExpiresAt] as const];
  const changed = values.filter(([, before, after]) => before !== after);
  if (changed.every(([name, before]) => license[name] === before)) return {};
  if (changed.some(([name, , after]) => license[name] !== after)) return null;
  return Object.fromEntries(changed);
}

/** Returns the expiry of an extended license, counted from now if it has expired; null for a license that never expires. */
export function extended(
  { expiresAt }: Pick<License, 'expiresAt'>,
  days: number,
  now: Datetime,
): Outcome<Datetime | null> {
  if (expiresAt === null) return done(null);
  const at = addDays(expiresAt > now ? expiresAt : now, days);
  return at === null ? invalid('extendDays', 'past_year_9999') : done(at);
}
