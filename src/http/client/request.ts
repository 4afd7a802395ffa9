import type { FastifyRequest } from 'fastify';
import { publicKey } from '../../app/leases/binding.ts';
import { signedText } from '../../app/leases/offline-texts.ts';
import {
  type ActivationMeta,
  activationMeta,
  fingerprint as deviceFingerprint,
} from '../../domain/activation.ts';
import {
  bad,
  type Field,
  flag,
  good,
  integer,
  oneOf,
  optional,
  reference,
  required,
  type Shape,
  text,
} from '../../domain/fields.ts';
import { CHANNELS } from '../../domain/releases/release.ts';
import { softwareName } from '../../domain/releases/software.ts';
import { version } from '../../domain/releases/version.ts';
import { invalid } from '../errors.ts';
import { secrets } from '../input.ts';

/** Maximum bytes of metadata as JSON. */
const META_MAX = 4 * 1024;

/** PHP writes an empty object as an empty list. */
const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && Object.keys(value ?? {}).length === 0;

/** Metadata of an activation. Unlike the v1 API, this field refuses values that cannot be stored. */
const meta: Field<ActivationMeta | null> = {
  schema: {
    type: 'object',
    additionalProperties: true,
    description: 'What the vendor wants to know of the device; at most 4 KiB as JSON',
  },
  read(value) {
    if (isEmpty(value)) return good(null);
    const read = activationMeta.read(value);
    const fits = read.ok && read.value && Buffer.byteLength(JSON.stringify(read.value)) <= META_MAX;
    return fits ? read : bad('not_metadata', { max: META_MAX });
  },
};

const FINGERPRINT = { min: 1, max: 255 };
const fingerprint = optional(deviceFingerprint);
const nonce = optional(
  text({ max: 128, description: 'The lease repeats it, and is signed for this request alone' }),
);
const deviceKey = optional(publicKey);

/**
 * Returns the input of a body. Refuses an empty fingerprint instead of treating it as missing: a program that cannot
 * identify its device would take seat after seat. Refuses an empty device key too.
 */
function body<S extends Shape>(shape: S) {
  const input = secrets(shape);
  return {
    ...input,
    read(request: FastifyRequest) {
      const sent = request.body as { fingerprint?: unknown; device_key?: unknown } | undefined;
      if (sent?.fingerprint === '') throw invalid('fingerprint', 'wrong_length', FINGERPRINT);
      if (sent?.device_key === '' && 'deviceKey' in shape) throw invalid('deviceKey', 'not_public_key');
      return input.read(request);
    },
  };
}

export const activateInput = body({
  licenseKey: required(text({ min: 1, max: 255, description: 'The full key' })),
  fingerprint,
  deviceKey,
  label: optional(text({ max: 255, description: 'Name of the device, for people' })),
  meta: optional(meta),
  product: optional(reference('Refuses the key of another product')),
  software: optional({
    ...softwareName,
    schema: { ...softwareName.schema, description: 'Id or slug; refuses a key that is not for it' },
  }),
  nonce,
  borrowHours: optional(
    integer({ max: 366 * 24, description: 'Hours to keep a floating seat, as far as the license allows' }),
  ),
  takeover: optional({
    ...flag,
    schema: {
      type: 'boolean',
      description:
        'If no seat is free, takes the seat of the least recently seen device, as often as the license allows',
    },
  }),
});
export const validateInput = body({ fingerprint, nonce });
export const requestInput = secrets({
  request: required(signedText('LKREQ1.…, as the device has written it')),
});
export const receiptInput = secrets({
  receipt: required(signedText('LKOFF1.…, as the device has written it')),
});

const NO_EFFECT = 'Has no effect yet: create software for each platform with a file of its own';
export const updateCheckInput = secrets({
  licenseKey: optional(text({ min: 1, max: 255, description: 'The full key, if there is no token' })),
  software: required(softwareName),
  version: optional({
    ...version,
    schema: { ...version.schema, description: 'The installed version: only a higher one is an update' },
  }),
  channel: optional(oneOf(CHANNELS, `${CHANNELS.join(', ')}; stable when not sent`)),
  platform: optional(text({ max: 64, description: NO_EFFECT })),
  arch: optional(text({ max: 64, description: NO_EFFECT })),
});
