import { SYSTEM } from '../../domain/actor.ts';
import { type Store, StoreDamaged, StoreUnavailable } from '../../store/store.ts';
import type { Executes } from '../command.ts';
import { signCompact, type Typ } from '../leases/compact.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import { certificateOf, keySetOf, privateKeyOf } from './key-set.ts';
import type { makeSigningKeys } from './signing-key-commands.ts';

export interface SigningKey {
  /** Id of the key. */
  kid: string;
  /** End of the key's certificate in seconds since 1970. Signed texts must not be valid for longer. */
  until: number;
  /** Signs a payload. The header contains the certificate of the key. */
  sign(
    typ: Extract<Typ, 'lk-lease+jwt' | 'lk-revocations+jwt'>,
    payload: Readonly<Record<string, unknown>>,
  ): string;
}
export type Signer = ReturnType<typeof createSigner>;

/** Milliseconds before a node re-reads the signing key: the longest time until it notices a rotation. */
export const REREAD_MS = 3_000;

/**
 * Returns a signer with the database's signing key. Creates the keys if there are none. While the database is unavailable,
 * the signer uses the key in memory.
 * @param steady a monotonic clock, in milliseconds
 */
export function createSigner(
  store: Store,
  execute: Executes<typeof makeSigningKeys>,
  steady: () => number = () => performance.now(),
) {
  const { signingKeys } = store.read;
  let held: { key: SigningKey; certificate: string } | null = null;
  let readAt = Number.NEGATIVE_INFINITY;

  /** Returns null if keys were just created, or if a rotation ended the key between the two queries: read again. */
  async function read(): Promise<SigningKey | null> {
    const keys = keySetOf(await signingKeys.list());
    if (!keys) {
      await execute('make-signing-keys', null, SYSTEM);
      return null;
    }
    const { signing } = keys;
    const { exp: until } = certificateOf(keys);
    const crt = signing.certificate as string;
    if (held?.certificate === crt) return held.key;
    const privateKey = await privateKeyOf(signingKeys, signing);
    if (!privateKey) return null;
    const { kid } = signing;
    const key: SigningKey = {
      kid,
      until,
      sign: (typ, payload) => signCompact(typ, { kid, crt }, payload, privateKey),
    };
    held = { key, certificate: crt };
    return key;
  }

  const refreshing = oneAtATime(async (): Promise<SigningKey> => {
    try {
      const key = (await read()) ?? (await read());
      if (!key) throw new StoreDamaged('the active signing key has no private half (table signing_keys)');
      return key;
    } catch (error) {
      if (held && error instanceof StoreUnavailable) return held.key;
      throw error;
    } finally {
      readAt = steady();
    }
  });

  return {
    /** Returns the active signing key. A rotation reaches every node within seconds. @throws StoreUnavailable */
    async current(): Promise<SigningKey> {
      return held && steady() - readAt < REREAD_MS ? held.key : refreshing.start();
    },
  };
}
