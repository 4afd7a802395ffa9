import { type ApiKey, mayCall } from './api-key.ts';
import type { Datetime } from './datetime.ts';
import { bad, type Created, type Field, good, optional, reference, refined, text } from './fields.ts';
import type { License } from './licenses/license.ts';
import type { EndedAs } from './seats.ts';

/** Where an activation came from, by its number on the wire. */
export const ACTIVATION_SOURCE = { console: 1, api: 2, migration: 3 } as const;
export type ActivationSource = (typeof ACTIVATION_SOURCE)[keyof typeof ACTIVATION_SOURCE];

/** What an activation of an earlier version, or of another system, lacks. */
export type SeatFields = 'endedAs' | 'device' | 'seatExpiresAt' | 'lastSeenAt';

export type ActivationMeta = Readonly<Record<string, unknown>>;

export interface Activation {
  id: number;
  /** 40 hex digits, unique, unguessable; empty where it is not shown. */
  token: string;
  licenseId: number;
  /** The software named at the activation, if any. It may have been deleted since. */
  softwareId: number | null;
  label: string | null;
  source: ActivationSource;
  /** Null when unknown. */
  ipAddress: string | null;
  userAgent: string | null;
  meta: ActivationMeta | null;
  createdAt: Datetime;
  /** Null until first deactivated or reactivated. */
  updatedAt: Datetime | null;
  /** Null while the activation is valid. */
  deactivatedAt: Datetime | null;
  /** Why it ended; null while it is valid. */
  endedAs: EndedAs | null;
  /** Keyed hash of the fingerprint, or of the label if the license matches labels; null if nothing tells the device. */
  device: string | null;
  /** When a floating seat lapses; null if node-locked. */
  seatExpiresAt: Datetime | null;
  /** Null if not seen since it was activated. Updated every few hours at most. */
  lastSeenAt: Datetime | null;
}

/** The fields of an activation that is just made, without a device. */
export const UNSEEN = {
  updatedAt: null,
  deactivatedAt: null,
  endedAs: null,
  device: null,
  seatExpiresAt: null,
  lastSeenAt: null,
} as const satisfies Partial<Activation>;

/** When the device of an activation was last seen: since the activation at the latest. */
export const seenAt = ({ lastSeenAt, createdAt }: Pick<Activation, 'lastSeenAt' | 'createdAt'>): Datetime =>
  lastSeenAt ?? createdAt;

/** What is left of the oldest deactivated activations of a license. */
export interface ForgottenActivations {
  activations: number;
  /** When the first of them was created, and the last was deactivated. */
  firstAt: Datetime;
  lastAt: Datetime;
}

/** The activation as a program on another device may see it. */
export const withoutDevice = (activation: Activation): Activation => ({
  ...activation,
  token: '',
  ipAddress: null,
  userAgent: null,
  meta: null,
});

/** Filters of a search; absent ones match everything. */
export interface ActivationSearch {
  licenseId?: number;
  softwareId?: number;
  /** Prefix of the label, ignoring the case of A to Z. */
  label?: string;
  address?: string;
  isValid?: boolean;
  /** The instant that `isValid` is about; that of the clock by default (`app/licenses/held-seats.ts`). */
  at?: Datetime;
}

export interface LicensedActivation {
  activation: Activation;
  license: License;
}

const META_MAX_BYTES = 16 * 1024;
/** With an API key without `licenses.inspect`, which may be shipped in a program: everybody can send it. */
const SHIPPED_META_MAX_BYTES = 2 * 1024;
/** Levels of nesting. Much deeper values overflow the stack of JSON.stringify and structured clone. */
const META_MAX_DEPTH = 500;

/** Client metadata: an object of at most 16 KiB as JSON. Anything else is read as null, never refused. */
export const activationMeta: Field<ActivationMeta | null> = {
  schema: {
    type: 'object',
    additionalProperties: true,
    description:
      'At most 16 KiB as JSON, 2 KiB with an API key without licenses.inspect, nested at most 500 levels deep; anything else ' +
      'is ignored',
  },
  read(value) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    const fits = isObject && Object.keys(value).length > 0 && fitsAsMeta(value);
    return good(fits ? (value as ActivationMeta) : null);
  },
};

function fitsAsMeta(value: object): boolean {
  try {
    const json = JSON.stringify(value);
    return bytesOf(json) <= META_MAX_BYTES && nesting(json) <= META_MAX_DEPTH;
  } catch {
    return false; // Too deep for JSON.stringify.
  }
}

const bytesOf = (json: string): number => new TextEncoder().encode(json).length;

/** The metadata if the API key may store as much, else null. @param meta as `activationMeta` has read it */
export function metaFrom(
  apiKey: Pick<ApiKey, 'endpoints'> | null,
  meta: ActivationMeta | null,
): ActivationMeta | null {
  if (meta === null || apiKey === null || mayCall(apiKey, 'licenses.inspect')) return meta;
  return bytesOf(JSON.stringify(meta)) <= SHIPPED_META_MAX_BYTES ? meta : null;
}

/** The depth of nested lists and objects in JSON. */
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

/** What tells a device. Spaces would tell all devices of a program that reads none. */
export const fingerprint: Field<string> = refined(
  text({
    min: 1,
    max: 255,
    description: 'What tells the device: the same device gets the seat that it has',
  }),
  (value) => (value.trim() === '' ? bad('blank') : good(value)),
);

/** What activate takes (contract section 6). */
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
