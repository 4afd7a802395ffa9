import { type Credentials, hashAsPlugin, hashCredential } from '../../app/api-keys/credentials.ts';
import { type ApiKey, mayCall } from '../../domain/api-key.ts';
import { notFound } from '../../domain/refusal.ts';
import type { Reads } from '../../store/store.ts';
import { Failure, orFail } from '../failure.ts';
import { printable } from '../table.ts';

/** The argument that names an API key. */
export const NAMED = ['<key>', 'Its id, the consumer key, or its suffix as shown by "list"'] as const;

/** Returns the API key with an id. @throws Failure if there is none */
export async function knownKey(reads: Reads, id: number): Promise<ApiKey> {
  return (await reads.apiKeys.list()).find((one) => one.id === id) ?? orFail(notFound('api_key', String(id)));
}

/** Finds an API key by its consumer key, id or suffix. @throws Failure if no key, or more than one, matches */
export async function findApiKey(reads: Reads, named: string): Promise<ApiKey> {
  for (const hash of [hashCredential(named), hashAsPlugin(named)]) {
    const whole = await reads.apiKeys.findByHash(hash);
    if (whole) return whole;
  }
  const all = await reads.apiKeys.list();
  // A suffix of digits only may look like an id. The id wins, because it is unique.
  const byId = all.find(({ id }) => String(id) === named);
  if (byId) return byId;
  const [first, ...others] = all.filter(({ keyEnding }) => keyEnding === named);
  if (!first) return orFail(notFound('api_key', named));
  if (others.length === 0) return first;
  const ids = [first, ...others].map(({ id }) => id).join(', ');
  const message = `Several API keys end in ${printable(named)}. Name one by its id: ${ids}.`;
  throw new Failure(1, 'api_key_ambiguous', message);
}

export const nameOf = ({ id, keyEnding }: ApiKey): string => `API key ${id}, ending in ${keyEnding},`;

/** Says that an API key is revoked. */
export const revokedLine = (apiKey: ApiKey): string =>
  `${nameOf(apiKey)} is revoked: it is refused from now on.` +
  (mayCall(apiKey, 'events.manage') ? ENDPOINTS_STAY : '');

const ENDPOINTS_STAY =
  '\nEvent endpoints that were made with it still get events. List them with "latchkey event-endpoint list", and delete those that you do not know.';

/** Returns a new consumer key and secret as lines of text. */
export const credentialLines = ({ consumerKey, consumerSecret }: Credentials): string[] => [
  `  consumer key     ${consumerKey}`,
  `  consumer secret  ${consumerSecret}`,
];
