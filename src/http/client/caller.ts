import type { FastifyRequest } from 'fastify';
import { seatsTaken } from '../../app/licenses/seats-taken.ts';
import type { Datetime } from '../../domain/datetime.ts';
import { licenseRef } from '../../domain/licenses/license.ts';
import { type Outcome, refused } from '../../domain/refusal.ts';
import type { Reads } from '../../store/store.ts';
import { refuse } from '../errors.ts';

/** The options of a route without an API key. */
export const IS_PUBLIC = { config: { public: true }, bodyLimit: 64 * 1024 } as const;

/** The bearer token of a request; null if it has none. */
export const bearerOf = ({ headers }: FastifyRequest): string | null =>
  /^bearer +([\x21-\x7e]+) *$/i.exec(headers.authorization ?? '')?.[1] ?? null;

/** Returns the bearer token of a request. @throws 401 if it has none */
export function tokenOf(request: FastifyRequest): string {
  const token = bearerOf(request);
  if (token === null) throw refuse('credentials_missing');
  return token;
}

/** Refuses the hash of a license key: this API accepts only the key itself. @throws 404 */
export function refuseHash(licenseKey: string): void {
  if ('hash' in licenseRef(licenseKey))
    throw refuse('record_not_found', { kind: 'license', named: licenseKey });
}

/**
 * Adds the holders of the seats to the refusal of an activation that found no free seat. Returns other outcomes as they are.
 */
export async function withHolders<T>(
  reads: Reads,
  activated: Outcome<T>,
  licenseKey: string,
  now: Datetime,
): Promise<Outcome<T>> {
  if (activated.ok || activated.refusal.code !== 'activation_limit_reached') return activated;
  const taken = await seatsTaken(reads, { key: licenseKey }, now);
  return refused('activation_limit_reached', { ...activated.refusal.args, ...(taken && { taken }) });
}
