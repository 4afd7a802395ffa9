import { fingerprint } from '../../domain/activation.ts';
import { DAY_MS, type Datetime, toMilliseconds } from '../../domain/datetime.ts';
import {
  bad,
  type Created,
  type Field,
  good,
  MAX_REFERENCE,
  optional,
  type ReadAll,
  readAll,
  refined,
  required,
  type Shape,
  text,
} from '../../domain/fields.ts';
import { done, invalid, type Outcome } from '../../domain/refusal.ts';
import { publicKey } from './binding.ts';
import { type Compact, readCompact, TEXT_MAX, type Typ } from './compact.ts';

// The texts of devices without network: docs/integrate/lease-format.md.

/** Days for which a request is valid: it holds a license key, and copies remain in files and pictures. */
const REQUEST_DAYS = 30;
/** Days that the clock of a device may be ahead. */
const AHEAD_DAYS = 1;
const NONCE_MAX = 128;
/** The end of the year 9999. */
const SECONDS_MAX = 253_402_300_799;

/** A field for a JSON number; refuses text of digits. */
const number = (max: number): Field<number> => ({
  schema: { type: 'integer', minimum: 0, maximum: max },
  read: (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= max
      ? good(value)
      : bad('out_of_range', { min: 0, max }),
});

/** A field for an id with a prefix: reads `act_41` as 41. */
const idAfter = (prefix: string): Field<number> =>
  refined(text({ max: 32 }), (value) => {
    const id = value.startsWith(prefix) ? value.slice(prefix.length) : '';
    return /^[1-9][0-9]*$/.test(id) && Number(id) <= MAX_REFERENCE
      ? good(Number(id))
      : bad('not_name_of', { prefix });
  });

const requestShape = {
  /** License key. */
  key: required(text({ min: 1, max: 255 })),
  /** Public half of the device key. */
  x: required(publicKey),
  /** Nonce, which the lease repeats. */
  n: required(text({ min: 1, max: NONCE_MAX })),
  /** Seconds since 1970, by the clock of the device. */
  iat: required(number(SECONDS_MAX)),
  /** Fingerprint. */
  fpr: optional(fingerprint),
  /** Label. */
  lbl: optional(text({ max: 255 })),
  /** Product. */
  prd: optional(number(MAX_REFERENCE)),
};
/** The payload of a device's offline request. */
export type OfflineRequest = Created<typeof requestShape>;

const receiptShape = {
  /** Id of the activation. */
  sub: required(idAfter('act_')),
  /** Id of the license. */
  lic: required(idAfter('lic_')),
  /** Public half of the device key. */
  x: required(publicKey),
  /** When the device deleted its lease, in seconds since 1970. */
  iat: required(number(SECONDS_MAX)),
};
/** The payload of a receipt, which a device makes when it gives back its seat. */
export type OfflineReceipt = Created<typeof receiptShape>;

/** Reads `LKREQ1.…`. @returns refused as the field `request` if it is damaged, old, or not signed by its device */
export function readRequest(sent: string, now: Datetime): Outcome<OfflineRequest> {
  const read = readSigned(sent, 'request', REQUEST_PREFIX, 'lk-request+jwt', reader(requestShape), now);
  if (!read.ok || toMilliseconds(now) - read.value.iat * 1_000 <= REQUEST_DAYS * DAY_MS) return read;
  return invalid('request', 'signed_too_long_ago', { days: REQUEST_DAYS });
}

/** Reads `LKOFF1.…`, of any age. @returns refused as the field `receipt` if it is damaged, or not signed by its device */
export const readReceipt = (sent: string, now: Datetime): Outcome<OfflineReceipt> =>
  readSigned(sent, 'receipt', RECEIPT_PREFIX, 'lk-release+jwt', reader(receiptShape), now);

const REQUEST_PREFIX = 'LKREQ1.';
export const RECEIPT_PREFIX = 'LKOFF1.';
/** Prefix of a lease in a file or a QR code. */
export const LEASE_PREFIX = 'LKLEASE1.';
/** A field for a signed text with its prefix, possibly surrounded by white space. */
export const signedText = (description: string): Field<string> =>
  text({ min: 1, max: TEXT_MAX + 256, description });

function readSigned<Payload extends { x: string; iat: number }>(
  sent: string,
  name: string,
  prefix: string,
  typ: Typ,
  read: (payload: Compact['payload']) => ReadAll<Payload>,
  now: Datetime,
): Outcome<Payload> {
  const trimmed = sent.trim();
  const compact = trimmed.startsWith(prefix) ? readCompact(trimmed.slice(prefix.length), typ) : null;
  if (!compact) return invalid(name, 'not_signed_text', { prefix });
  const members = read(compact.payload);
  if (!members.ok) return invalid(name, 'bad_members', { fields: members.problems });
  const { x, iat } = members.value;
  if (!compact.isSignedBy(x)) return invalid(name, 'wrong_signature');
  const isAhead = iat * 1_000 > toMilliseconds(now) + AHEAD_DAYS * DAY_MS;
  return isAhead ? invalid(name, 'signed_in_future') : done(members.value);
}

/** Returns a reader of a payload's members. Unlike in parameters, null and empty members count as sent. */
const reader =
  <S extends Shape>(shape: S) =>
  (payload: Compact['payload']): ReadAll<Created<S>> =>
    readAll(shape, payload, ({ field, required }, member) => {
      if (member !== undefined) return field.read(member);
      return required ? bad('required') : good(null);
    });
