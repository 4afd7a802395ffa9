import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { seatsTaken } from '../../app/licenses/seats-taken.ts';
import { countValidation, extendIfDue, mayUse } from '../../app/licenses/validate.ts';
import {
  ACTIVATION_SOURCE,
  activationMeta,
  fingerprint as deviceFingerprint,
} from '../../domain/activation.ts';
import type { Actor } from '../../domain/actor.ts';
import { toDatetime } from '../../domain/datetime.ts';
import {
  bad,
  flag,
  good,
  integer,
  optional,
  reference,
  refined,
  required,
  text,
} from '../../domain/fields.ts';
import { licenseRef } from '../../domain/license.ts';
import { notFound } from '../../domain/refusal.ts';
import { clientOf } from '../client.ts';
import { HttpProblem, refuse, unwrap } from '../errors.ts';
import { secrets } from '../input.ts';
import type { Services } from '../services.ts';
import { presentSeat } from './present.ts';

export const CLIENT_ROOT = '/client/v1';

/** Bytes of a body, and of metadata as JSON. */
const BODY_MAX = 64 * 1024;
const META_MAX = 4 * 1024;

const meta = refined(activationMeta, (value) =>
  value !== null && Buffer.byteLength(JSON.stringify(value)) > META_MAX
    ? bad('too_long', { max: META_MAX })
    : good(value),
);
const fingerprint = optional(deviceFingerprint);
const nonce = optional(text({ max: 128 }));
const activateInput = secrets({
  licenseKey: required(text({ min: 1, max: 255 })),
  fingerprint,
  label: optional(text({ max: 255 })),
  meta: optional(meta),
  product: optional(reference()),
  software: optional(text({ min: 1, max: 255 })),
  nonce,
  borrowHours: optional(integer({ max: 366 * 24 })),
  takeover: optional(flag),
});
const validateInput = secrets({ fingerprint, nonce });

/** The API for programs that ship no secret: a license key activates, the token of the activation does the rest. */
export async function clientRoutes(
  app: FastifyInstance,
  services: Services,
  { historyKeep: keep }: { historyKeep: number },
): Promise<void> {
  const { store, clock, execute } = services;
  const now = () => toDatetime(clock());
  /** @throws not_covered for software that does not exist */
  const softwareOf = async (named: string | null): Promise<number | null> => {
    if (named === null) return null;
    const found = /^\d+$/.test(named)
      ? await store.read.software.find(Number(named))
      : await store.read.software.findBySlug(named);
    if (!found) throw refuse('software_not_covered');
    return found.id;
  };
  const isPublic = { config: { public: true }, bodyLimit: BODY_MAX, schema: { hide: true } };

  await app.register(
    async (api) => {
      api.post('/activate', isPublic, async (request, reply) => {
        const {
          licenseKey,
          software,
          borrowHours,
          takeover,
          nonce: _,
          ...input
        } = activateInput.read(request);
        // The hash of a key is no license key here.
        if ('hash' in licenseRef(licenseKey)) throw new HttpProblem(notFound('license', licenseKey).refusal);
        const activated = await execute(
          'activate-license',
          {
            ...input,
            ...clientOf(request),
            named: licenseKey,
            token: null,
            source: ACTIVATION_SOURCE.api,
            keep,
            software: await softwareOf(software),
            first: 'disabled',
            borrowHours: borrowHours ?? 0,
            takeover: takeover ?? false,
          },
          actorOf(request),
        );
        if (activated.ok) {
          reply.code(activated.value.isNew ? 201 : 200);
          return presentSeat(activated.value, true);
        }
        const { refusal } = activated;
        if (refusal.code !== 'activation_limit_reached') throw new HttpProblem(refusal);
        const taken = await seatsTaken(store.read, { key: licenseKey }, now());
        throw refuse('activation_limit_reached', { ...refusal.args, ...(taken && { taken }) });
      });

      api.post('/validate', isPublic, async (request, reply) => {
        const { fingerprint = null } = validateInput.read(request);
        const found = unwrap(
          await mayUse(store.read, tokenOf(request, reply), fingerprint, actorOf(request), now()),
        );
        const extended = unwrap(await extendIfDue(services, found, actorOf(request)));
        countValidation(services, extended);
        return presentSeat(extended, false);
      });

      api.post('/deactivate', isPublic, async (request, reply) => {
        const token = tokenOf(request, reply);
        const ended = await execute('deactivate-activation', { token, keep }, actorOf(request));
        if (!ended.ok && ended.refusal.code !== 'activation_already_deactivated')
          throw new HttpProblem(ended.refusal);
        return reply.code(204).send();
      });
    },
    { prefix: CLIENT_ROOT },
  );
}

/** @throws 401 without a bearer token */
function tokenOf({ headers }: FastifyRequest, reply: FastifyReply): string {
  const token = /^bearer +([\x21-\x7e]+) *$/i.exec(headers.authorization ?? '')?.[1];
  reply.header('www-authenticate', 'Bearer realm="Latchkey"');
  if (token === undefined) throw refuse('credentials_missing');
  reply.removeHeader('www-authenticate');
  return token;
}

/** A program acts for nobody. */
const actorOf = (request: FastifyRequest): Actor => ({
  userId: 0,
  via: 'api',
  apiKeyId: null,
  origin: clientOf(request).ipAddress,
  products: null,
});
