import { type ApiKey, mayCall } from './api-key.ts';
import type { Datetime } from './datetime.ts';
import {
  bad,
  type Created,
  type Field,
  good,
  isObject,
  optional,
  reference,
  refined,
  text,
} from './fields.ts';
import type { License } from './licenses/license.ts';
import type { EndedAs } from './seats.ts';

/** Where an activation came from, by its number on the wire. */
export const ACTIVATION_SOURCE = { console: 1, api: 2, migration: 3 } as const;
export type ActivationSource = (typeof ACTIVATION_SOURCE)[keyof typeof ACTIVATION_SOURCE];

/** Fields that activations from earlier versions or from other systems lack. */
export type SeatFields = 'endedAs' | 'device' | 'seatExpiresAt' | 'lastSeenAt';

export type ActivationMeta = Readonly<Record<string, unknown>>;

export interface Activation {
  id: number;
  /** 40 hex digits, unique and unguessable; empty if hidden from the caller. */
  token: string;
  licenseId: number;
  /**
   * The software named at the last activation of the device, if any; a reactivation by token keeps it. It may have been
   * deleted since.
   */
  softwareId: number | null;
  label: string | null;
  source: ActivationSource;
  /** Address of the client; null if unknown. */
  ipAddress: string | null;
  userAgent: string | null;
  meta: ActivationMeta | null;
  createdAt: Datetime;
  /** Null until the activation is first deactivated or reactivated. */
  updatedAt: Datetime | null;
  /** Null while the activation is valid. */
  deactivatedAt: Datetime | null;
  /** Why the activation ended; null while it is valid. */
  endedAs: EndedAs | null;
  /** Keyed hash of the fingerprint, of the label if the license matches labels, or of the device key; else null. */
  device: string | null;
  /** When a floating seat lapses; null if node-locked. */
  seatExpiresAt: Datetime | null;
  /** When the device was last seen; null if never since the activation. Updated every few hours at most. */
  lastSeenAt: Datetime | null;
}

/** Initial values of an activation's fields, without a device. */
export const UNSEEN = {
  updatedAt: null,
  deactivatedAt: null,
  endedAs: null,
  device: null,
  seatExpiresAt: null,
  lastSeenAt: null,
} as const satisfies Partial<Activation>;

/** Returns when the device of an activation was last seen; if never since, when it was activated. */
export const seenAt = ({ lastSeenAt, createdAt }: Pick<Activation, 'lastSeenAt' | 'createdAt'>): Datetime =>
  lastSeenAt ?? createdAt;

/** A summary of a license's oldest deactivated activations, whose rows were deleted. */
export interface ForgottenActivations {
  activations: number;
  /** When the first of these was created, and when the last of these was deactivated. */
  firstAt: Datetime;
  lastAt: Datetime;
}

/** The first character of `Activation.device`: what identifies the device. */
export const KNOWN_BY = { fingerprint: 'f', label: 'l', deviceKey: 'k' } as const;

/** Characters shown of a label (at most half of it): enough for the owner to recognize the device, and little for others. */
const SHOWN = 3;

/** Returns the first letters of a label. */
export function maskedLabel(label: string | null): string | null {
  const characters = [...(label ?? '')];
  const shown = Math.min(SHOWN, Math.floor(characters.length / 2));
  return label === null ? null : `${characters.slice(0, shown).join('')}…`;
}

/**
 * Returns the activation without the fields that programs on other devices must not see. A label that identifies its device
 * is masked: whoever activates with it gets the token.
 */
export const withoutDevice = (activation: Activation): Activation => ({
  ...activation,
  label: activation.device?.startsWith(KNOWN_BY.label) ? maskedLabel(activation.label) : activation.label,
  token: '',
  ipAddress: null,
  userAgent: null,
  meta: null,
});

/** The address of a site, as programs send it or people copy it. */
const SITE = /^(?:https?:\/\/)?(?:www\.)?([^\s/:?#@,]+\.[^\s/:?#@,.]+)(?:(?::\d+)?(?:[/?#].*)?|[.,])$/i;

/**
 * Returns the beginnings of the labels that a text finds. The address of a site finds all labels that begin with this site,
 * with or without `https://` and `www.`.
 */
export function labelStarts(text: string): string[] {
  const site = SITE.exec(text.trim())?.[1];
  if (site === undefined) return [text];
  const hosts = [site, `www.${site}`];
  return [...new Set([text, ...hosts, ...hosts.flatMap((host) => [`https://${host}`, `http://${host}`])])];
}

/** Filters of a search; absent ones match everything. */
export interface ActivationSearch {
  licenseId?: number;
  softwareId?: number;
  /** Beginnings of the label, any of these, ignoring the case of A to Z. */
  labels?: readonly string[];
  address?: string;
  isValid?: boolean;
  /** The instant at which `isValid` is judged; now by default (`app/licenses/held-seats.ts`). */
  at?: Datetime;
}

export interface LicensedActivation {
  activation: Activation;
  license: License;
}

const META_MAX_BYTES = 16 * 1024;
/** Maximum with an API key without `licenses.inspect`: it may be shipped in a program, so that anybody can use it. */
const SHIPPED_META_MAX_BYTES = 2 * 1024;
/** Levels of nesting. Much deeper values overflow the stack of JSON.stringify and structured clone. */
const META_MAX_DEPTH = 500;
/** Finds NUL and lone surrogates in the output of JSON.stringify, which escapes them. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/**
 * Client metadata: an object of storable text, of at most 16 KiB as JSON. Reads anything else as null, and never refuses it.
 */
export const activationMeta: Field<ActivationMeta | null> = {
  schema: {
    type: 'object',
    additionalProperties: true,
    description:
      'At most 16 KiB as JSON, 2 KiB with an API key without licenses.inspect, nested at most 500 levels deep, without NUL ' +
      'and lone surrogates; anything else is ignored',
  },
  read(value) {
    const fits = isObject(value) && Object.keys(value).length > 0 && fitsAsMeta(value);
    return good(fits ? value : null);
  },
};

function fitsAsMeta(value: object): boolean {
  try {
    const json = JSON.stringify(value);
    return bytesOf(json) <= META_MAX_BYTES && nesting(json) <= META_MAX_DEPTH && !UNSTORABLE.test(json);
  } catch {
    return false; // Too deep for JSON.stringify.
  }
}

const bytesOf = (json: string): number => new TextEncoder().encode(json).length;

/** Returns the metadata if the API key may store that many bytes, else null. @param meta read by `activationMeta` */
export function metaFrom(
  apiKey: Pick<ApiKey, 'endpoints'> | null,
  meta: ActivationMeta | null,
): ActivationMeta | null {
  if (meta === null || apiKey === null || mayCall(apiKey, 'licenses.inspect')) return meta;
  return bytesOf(JSON.stringify(meta)) <= SHIPPED_META_MAX_BYTES ? meta : null;
}

/** Returns the depth of nested lists and objects in JSON. */
function nesting(json: string): number {
  let [depth, deepest] = [0, 0];
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, ++depth);
    else if (token === ']' || token === '}') depth--;
  }
  return deepest;
}

const id = reference('Id of the software that is activated; other values are ignored');
/** Never refuses: existing updaters always send a value, of any form. */
const softwareId: Field<number | null> = {
  schema: id.schema,
  read(value) {
    const read = id.read(value);
    return read.ok ? read : good(null);
  },
};

/** Identifies a device. Refuses blank text: all devices of a program that cannot read a fingerprint would look the same. */
export const fingerprint: Field<string> = refined(
  text({
    min: 1,
    max: 255,
    description: 'Identifies the device: the same device keeps its seat',
  }),
  (value) => (value.trim() === '' ? bad('blank') : good(value)),
);

/** The parameters of an activation (contract section 6). */
export const activateShape = {
  fingerprint: optional(fingerprint),
  label: optional(
    text({ max: 255, cut: true, description: 'Name of the device or site; cut at 255 characters' }),
  ),
  meta: optional(activationMeta),
  token: optional(
    text({ max: 255, description: 'A deactivated activation of this license, to make valid again' }),
  ),
  software: optional(softwareId),
};
export type ActivateInput = Created<typeof activateShape>;
