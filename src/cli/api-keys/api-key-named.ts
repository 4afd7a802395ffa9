import { hashCredential } from '../../app/api-keys/credentials.ts';
import type { ApiKey } from '../../domain/api-key.ts';
import { refusal } from '../../domain/refusal.ts';
import type { Reads } from '../../store/store.ts';
import { Failure, failureOf } from '../failure.ts';
import { printable } from '../table.ts';

/** How a command is told which API key is meant. */
export const NAMED = 'Its id, the whole consumer key, or its ending as "list" shows it';

/** @throws Failure */
export async function knownKey(reads: Reads, id: number): Promise<ApiKey> {
  const found = (await reads.apiKeys.list()).find((one) => one.id === id);
  if (!found) throw failureOf(refusal('api_key_not_found', { named: String(id) }));
  return found;
}

/** @throws Failure where none is meant, or several may be */
export async function findApiKey(reads: Reads, named: string): Promise<ApiKey> {
  const whole = await reads.apiKeys.findByHash(hashCredential(named));
  if (whole) return whole;
  const all = await reads.apiKeys.list();
  // An ending of digits only may look like an id; ids are what the list is made to be revoked by.
  const byId = all.find(({ id }) => String(id) === named);
  if (byId) return byId;
  const [first, ...others] = all.filter(({ keyEnding }) => keyEnding === named);
  if (first && others.length === 0) return first;
  if (!first) throw failureOf(refusal('api_key_not_found', { named }));
  const ids = [first, ...others].map(({ id }) => id).join(', ');
  const message = `Several API keys end in ${printable(named)}; name the one you mean by its id: ${ids}.`;
  throw new Failure(1, 'api_key_ambiguous', message);
}
