import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { etagOf } from '../../../app/etags.ts';
import { seenAt } from '../../../domain/activation.ts';
import type { Datetime } from '../../../domain/datetime.ts';
import { isExpired, type License, maskedKey, mayActivate } from '../../../domain/licenses/license.ts';
import { TERMS } from '../../../domain/licenses/license-search.ts';
import { ENDED_AS, isBorrowed, isStale } from '../../../domain/seats.ts';
import type { FoundActivation, Reads } from '../../../store/store.ts';
import { record } from '../../docs/components.ts';
import { mayAlso } from '../../people/session.ts';
import { pageOf } from '../paging.ts';
import { etag, nullable } from '../route.ts';
import { licenseTerms } from '../terms.ts';

const key = {
  /** The whole key, or its last characters for users who may not see whole keys. */
  license_key: Type.String(),
  is_masked: Type.Boolean(),
};

const LICENSE_REFUSALS = ['license_disabled', 'license_expired'] as const;

export const LicenseRecord = record('License', {
  id: Type.Integer(),
  ...key,
  order_id: nullable(Type.Integer()),
  product_id: nullable(Type.Integer()),
  user_id: nullable(Type.Integer()),
  customer_email: nullable(Type.String()),
  expires_at: nullable(Type.String()),
  is_expired: Type.Boolean(),
  /** Days; 0 if not set. */
  valid_for: Type.Integer(),
  source: Type.Integer(),
  status: Type.Integer(),
  times_activated: Type.Integer(),
  /** 0 for no limit. */
  activations_limit: Type.Integer(),
  ...licenseTerms,
  created_at: Type.String(),
  created_by: Type.Integer(),
  updated_at: nullable(Type.String()),
  updated_by: nullable(Type.Integer()),
  etag,
});

export const ActivationRecord = record('Activation', {
  id: Type.Integer(),
  license_id: Type.Integer(),
  ...key,
  software_id: nullable(Type.Integer()),
  /** Null without software, or if the software is gone. */
  software_name: nullable(Type.String()),
  label: nullable(Type.String()),
  source: Type.Integer(),
  ip_address: nullable(Type.String()),
  user_agent: nullable(Type.String()),
  meta: nullable(Type.Record(Type.String(), Type.Unknown())),
  created_at: Type.String(),
  updated_at: nullable(Type.String()),
  /** Null while the activation is valid. An activation whose seat has lapsed is not valid. */
  deactivated_at: nullable(Type.String()),
  ended_as: nullable(Type.Enum(ENDED_AS)),
  /** The time of the activation, if the device was not seen since. */
  last_seen_at: Type.String(),
  /** Whether the seat lapses unless the device validates. */
  is_floating: Type.Boolean(),
  /** When a floating seat lapses. */
  seat_expires_at: nullable(Type.String()),
  /** Whether the device has borrowed the seat: it is held for longer than a validate would hold it. */
  is_borrowed: Type.Boolean(),
  /** Why the license refuses the device of a valid activation; null if it does not, or the activation has ended. */
  license_refusal: nullable(Type.Enum(LICENSE_REFUSALS)),
  /** Whether the device was not seen for so long that another device may take its seat. */
  is_stale: Type.Boolean(),
  /** Maximum hours for which the license lets a device borrow the seat; 0 if it does not. */
  borrow_max_hours: Type.Integer(),
});

export const LicensePage = Type.Object({
  ...pageOf(LicenseRecord, Type.Union([Type.Integer(), Type.String()])).properties,
  /** The kinds of value that the search text was compared with. */
  matched: Type.Array(Type.Enum(TERMS)),
  /**
   * Whether the search may have missed licenses. A search for a suffix of more than four characters, and each search for a
   * suffix by users who see masked keys, covers the newest 2,000 keys that end in its last four; a search only for the start
   * of a key (`start:`) covers the newest 20,000 licenses.
   */
  is_cut: Type.Boolean(),
});

/** Returns the license key, masked unless the user may see whole keys. */
const keyFor = (request: FastifyRequest, license: License) => {
  const isWhole = mayAlso(request, 'licenses.keys');
  return { licenseKey: isWhole ? license.key : maskedKey(license.key), isMasked: !isWhole };
};

export const presentLicense = (
  request: FastifyRequest,
  license: License,
  now: Datetime,
  hashing: Pick<Reads['licenses'], 'hashOf'>,
) => ({
  ...license,
  ...keyFor(request, license),
  isExpired: isExpired(license, now),
  etag: etagOf('license', license, hashing),
});

function refusalOf(license: License, now: Datetime) {
  const may = mayActivate(license, now, 'disabled');
  return LICENSE_REFUSALS.find((code) => !may.ok && may.refusal.code === code) ?? null;
}

export const presentActivation = (
  request: FastifyRequest,
  { activation, license, softwareName }: FoundActivation,
  now: Datetime,
) => {
  const isValid = activation.deactivatedAt === null;
  const lastSeenAt = seenAt(activation);
  return {
    ...activation,
    ...keyFor(request, license),
    softwareName,
    lastSeenAt,
    // An activation that was deactivated just now still lacks `endedAs`.
    endedAs: isValid ? null : (activation.endedAs ?? 'deactivated'),
    isFloating: license.seatTtl > 0,
    isBorrowed: isValid && isBorrowed(license, activation, now),
    licenseRefusal: isValid ? refusalOf(license, now) : null,
    isStale: isValid && isStale(license, activation, lastSeenAt, now),
    borrowMaxHours: license.borrowMaxHours,
  };
};
