import { randomBytes } from 'node:crypto';
import { ask } from '../run/connection.ts';
import { CREDENTIALS } from '../run/session.ts';
import type { Scenario } from './measure.ts';
import type { Program } from './program.ts';

type Kind = 'wrong_secret' | 'wrong_key' | 'wrong_both' | 'revoked_key' | 'unknown_license' | 'unknown_hash';

interface Pair {
  consumer_key: string;
  consumer_secret: string;
}
const RIGHT: Pair = {
  consumer_key: CREDENTIALS.LATCHKEY_CONSUMER_KEY,
  consumer_secret: CREDENTIALS.LATCHKEY_CONSUMER_SECRET,
};
const API_KEYS = 20;
const WARM = 2_000;

const random = (prefix: string): string => prefix + randomBytes(20).toString('hex');
const get = (path: string, key: string, secret: string): string =>
  [
    `GET /wp-json/dlm/v1${path} HTTP/1.1`,
    'Host: x',
    `Authorization: Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`,
    '\r\n',
  ].join('\r\n');

/**
 * Requests with an unknown consumer key, a wrong secret or a revoked key, and look-ups of a license key and of a hash
 * that do not exist.
 */
export async function apiKeyScenario(latchkey: Program, port: number): Promise<Scenario<Kind>> {
  const apiKey = (...words: string[]) => latchkey(['api-key', ...words]);
  for (let i = 0; i < API_KEYS; i++) await apiKey('create');
  const revoked: Pair & { id: number } = await apiKey('create');
  await apiKey('revoke', String(revoked.id));
  await ask(port, get('/licenses', RIGHT.consumer_key, RIGHT.consumer_secret));
  // Every kind makes the same values: unequal work would show through the processor's caches.
  const made = () => ({ key: random('ck_'), secret: random('cs_'), hash: randomBytes(32).toString('hex') });
  const asked = (one: (made: { key: string; secret: string; hash: string }) => string) => () => one(made());
  const asOwner = (path: string) => get(path, RIGHT.consumer_key, RIGHT.consumer_secret);
  return {
    kinds: {
      wrong_secret: asked(({ secret }) => get('/licenses', RIGHT.consumer_key, secret)),
      wrong_key: asked(({ key }) => get('/licenses', key, RIGHT.consumer_secret)),
      wrong_both: asked(({ key, secret }) => get('/licenses', key, secret)),
      revoked_key: asked(() => get('/licenses', revoked.consumer_key, revoked.consumer_secret)),
      unknown_license: asked(({ hash }) => asOwner(`/licenses/unknown${hash}`)),
      unknown_hash: asked(({ hash }) => asOwner(`/licenses/hashed-${hash}`)),
    },
    pairs: [
      ['wrong_secret', 'wrong_key'],
      ['wrong_secret', 'wrong_both'],
      ['revoked_key', 'wrong_key'],
      ['unknown_license', 'unknown_hash'],
    ],
    warm: WARM,
  };
}
