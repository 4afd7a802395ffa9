import type { Activation } from '../domain/activation.ts';
import type { ApiKey } from '../domain/api-key.ts';
import type { Datetime } from '../domain/datetime.ts';
import { parameterName } from '../domain/fields.ts';
import type { Generator } from '../domain/generator.ts';
import { isExpired, type License } from '../domain/license.ts';

/** Records as `--json` writes them: with the names and values of the API, and what only the command line shows. */
export type Presented = Record<string, unknown>;

/** `activationsLimit` is `activations_limit`, as where values are sent. */
const named = (record: object): Presented =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [parameterName(name), value]));

export function presentLicense({ id, key, ...license }: License, hash: string, now: Datetime) {
  return { ...named(license), id, license_key: key, hash, is_expired: isExpired(license, now) };
}

export function presentActivation({ meta, ipAddress, userAgent, ...activation }: Activation): Presented {
  const known = { ip_address: ipAddress ?? '', user_agent: userAgent ?? '', meta_data: meta ?? [] };
  return { ...named(activation), ...known };
}

export const presentGenerator = (generator: Generator): Presented => named(generator);

/** Without anything of the secret. */
export const presentApiKey = ({ secretHash: _, ...apiKey }: ApiKey): Presented => named(apiKey);
