import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { addDays, toSeconds } from '../../domain/datetime.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { EndedState, SigningKeyRecord } from '../../domain/signing-key.ts';
import type { Transaction } from '../../store/store.ts';
import { type Context, defineCommand } from '../command.ts';
import { keyId, publicKeyOf, readPrivateKey } from '../leases/compact.ts';
import { certify, isDue, readCertificate } from './certificate.ts';
import { type KeySet, keySetOf, privateKeyOf } from './key-set.ts';

/** Maximum number of revoked keys in a certificate. It is part of every lease, which has at most 8,192 characters. */
const REVOKED_MAX = 40;

type Keys = Transaction['signingKeys'];
type Circumstances = Pick<Context, 'now' | 'record'>;

/** Creates two root keys and a signing key, unless keys exist. */
export const makeSigningKeys = defineCommand({
  name: 'make-signing-keys',
  audit: 'always',
  run: async ({ signingKeys }, _: null, context): Promise<null> => {
    if ((await signingKeys.list()).length === 0) await makeKeys(signingKeys, context);
    return null;
  },
});

interface RotateSigningKey {
  /** Private half of the active root, PKCS #8 in PEM; null to use the one in the database. */
  rootKey: string | null;
  /** Whether programs must refuse leases that the old key has signed. */
  revoke: boolean;
  /** Whether to do nothing if the certificate is not due yet. */
  onlyIfDue: boolean;
}

/** Replaces the signing key, and deletes the private half of the old one. Returns the ids of both; null if not due. */
export const rotateSigningKey = defineCommand({
  name: 'rotate-signing-key',
  audit: 'always',
  run: async (
    { signingKeys },
    { rootKey, revoke, onlyIfDue }: RotateSigningKey,
    context,
  ): Promise<Outcome<{ from: string; to: string } | null>> => {
    const { root, signing } = await keysIn(signingKeys, context);
    const certificate = readCertificate(signing.certificate);
    if (onlyIfDue && certificate && !isDue(certificate, context.now)) return done(null);
    const key = await rootKeyOf(signingKeys, root, rootKey);
    if (!key.ok) return key;
    await signingKeys.end(signing.kid, revoke ? 'revoked' : 'retired', context.now);
    const made = await newSigningKey(signingKeys, key.value, context);
    if (!made.ok) return made;
    const changed = { from: signing.kid, to: made.value };
    context.record({ action: 'signing_key.rotate', id: null, about: { ...changed, revoked: revoke } });
    return done(changed);
  },
});

/** Deletes the private half of a root key, which the caller has written to a file. */
export const exportRootKey = defineCommand({
  name: 'export-root-key',
  audit: 'always',
  run: async ({ signingKeys }, { kid }: { kid: string }, { record }): Promise<Outcome<null>> => {
    if (!(await signingKeys.deletePrivateHalf(kid))) return refused('root_key_exported', { kid });
    record({ action: 'signing_key.export_root', id: null, about: { key_id: kid } });
    return done(null);
  },
});

interface UseSpareRoot {
  /** Private half of the spare root, PKCS #8 in PEM; null to use the one in the database. */
  rootKey: string | null;
  /** Whether programs still accept keys that the old root has certified. */
  keepOld: boolean;
  /** Whether to proceed although a spare root came into use within the last day. */
  again: boolean;
}

/** Days in which a second use of a spare is probably a mistake: programs in the field pin only the first two roots. */
const AGAIN_AFTER = 1;

/**
 * Makes the spare root the active root, creates a new spare, and certifies a new signing key. Returns the ids of the old and
 * of the new active root.
 */
export const useSpareRoot = defineCommand({
  name: 'use-spare-root',
  audit: 'always',
  run: async (
    { signingKeys },
    { rootKey, keepOld, again }: UseSpareRoot,
    context,
  ): Promise<Outcome<{ from: string; to: string }>> => {
    const { root, spare, signing } = await keysIn(signingKeys, context);
    const since = addDays(context.now, -AGAIN_AFTER) ?? context.now;
    const endings = (await signingKeys.list()).map(({ role, retiredAt }) => role === 'root' && retiredAt);
    const at = endings.find((one) => one && one > since);
    if (at && !again) return refused('spare_just_used', { at });
    const key = await rootKeyOf(signingKeys, spare, rootKey);
    if (!key.ok) return key;
    const state: EndedState = keepOld ? 'retired' : 'revoked';
    for (const { kid } of [root, signing]) await signingKeys.end(kid, state, context.now);
    await signingKeys.activate(spare.kid);
    await insertNew(signingKeys, { role: 'root', state: 'spare', createdAt: context.now });
    const made = await newSigningKey(signingKeys, key.value, context);
    if (!made.ok) return made;
    const changed = { from: root.kid, to: spare.kid };
    const about = { ...changed, revoked: !keepOld, key_id: made.value };
    context.record({ action: 'signing_key.use_spare', id: null, about });
    return done(changed);
  },
});

/** Returns the keys in use. Creates keys if there are none. @throws StoreDamaged */
const keysIn = async (signingKeys: Keys, context: Circumstances): Promise<KeySet> =>
  keySetOf(await signingKeys.list()) ?? makeKeys(signingKeys, context);

async function makeKeys(signingKeys: Keys, context: Circumstances): Promise<KeySet> {
  const { now: createdAt, record } = context;
  const root = await insertNew(signingKeys, { role: 'root', state: 'active', createdAt });
  await insertNew(signingKeys, { role: 'root', state: 'spare', createdAt });
  await newSigningKey(signingKeys, root.key, context);
  const made = keySetOf(await signingKeys.list()) as KeySet;
  const about = { key_id: made.signing.kid, root: made.root.kid, spare: made.spare.kid };
  record({ action: 'signing_key.create', id: null, about });
  return made;
}

/** Creates the active signing key, certified by `root`. Returns the id of the key. */
async function newSigningKey(
  signingKeys: Keys,
  root: KeyObject,
  { now }: Circumstances,
): Promise<Outcome<string>> {
  const revoked = revokedIds(await signingKeys.list(), toSeconds(now));
  if (revoked.length > REVOKED_MAX) return refused('too_many_revoked_keys', { limit: REVOKED_MAX });
  const { kid } = await insertNew(signingKeys, { role: 'signing', state: 'active', createdAt: now }, (key) =>
    certify(root, key, revoked, now),
  );
  return done(kid);
}

async function insertNew(
  signingKeys: Keys,
  values: Pick<SigningKeyRecord, 'role' | 'state' | 'createdAt'>,
  certificateFor: (key: { kid: string; x: string }) => string | null = () => null,
): Promise<{ kid: string; key: KeyObject }> {
  const { privateKey: key } = generateKeyPairSync('ed25519');
  const x = publicKeyOf(key);
  const kid = keyId(x);
  const row = { ...values, kid, x, certificate: certificateFor({ kid, x }) };
  await signingKeys.insert(row, pemOf(key));
  return { kid, key };
}

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }) as string;

/** Returns the private half of a root key. @param given PKCS #8 in PEM; null to use the one in the database */
async function rootKeyOf(
  signingKeys: Keys,
  root: SigningKeyRecord,
  given: string | null,
): Promise<Outcome<KeyObject>> {
  const key = given === null ? await privateKeyOf(signingKeys, root) : readPrivateKey(given);
  if (given === null && !key) return refused('root_key_needed', { kid: root.kid });
  const own = key && publicKeyOf(key);
  if (!key || own !== root.x) return refused('root_key_differs', { kid: root.kid, given: own && keyId(own) });
  return done(key);
}

/**
 * Returns the ids of the keys that a new certificate must revoke. Leaves out signing keys certified by a revoked root, and
 * signing keys whose certificate has ended: programs refuse both anyway.
 */
function revokedIds(keys: readonly SigningKeyRecord[], now: number): string[] {
  const revoked = keys.filter(({ state }) => state === 'revoked');
  const ids = new Set(revoked.map(({ kid }) => kid));
  return revoked
    .filter(({ certificate: text }) => {
      const certificate = readCertificate(text);
      return !certificate || (!ids.has(certificate.root) && certificate.exp >= now);
    })
    .map(({ kid }) => kid);
}
