import { verifyLease } from '../../../sdk/javascript/src/verify.ts';
import type { SigningKey } from '../../../src/app/keys/create-signer.ts';
import type { Service } from '../../../src/installation/service.ts';

/** Returns what programs pin: the public halves of the root keys. */
export const rootsOf = async ({ store, signer }: Pick<Service, 'store' | 'signer'>): Promise<string[]> => {
  // Creates the keys if the database has none yet.
  await signer.current();
  const keys = await store.read.signingKeys.list();
  return keys.filter(({ role }) => role === 'root').map(({ x }) => x);
};

const seconds = () => Math.floor(Date.now() / 1_000);

/** Signs a lease for an hour. */
export function leaseBy(key: SigningKey): string {
  const iat = seconds();
  const times = { iat, ref: iat, exp: iat + 3_600, grc: iat + 3_600 };
  const facts = { iss: 'https://licenses.example', jti: '1', lic: 'lic_1', st: 'active', ent: [] };
  return key.sign('lk-lease+jwt', { ...facts, ...times });
}

/** Creates a program that pins root keys and remembers revoked ones. */
export function programPinning(roots: readonly string[]) {
  const revokedKeys: string[] = [];
  return {
    /** Verifies leases one after the other. @returns for each `good`, or the code of the step that failed */
    async check(...leases: string[]): Promise<string[]> {
      const codes: string[] = [];
      for (const lease of leases) {
        const verified = await verifyLease(lease, { roots, revokedKeys, now: seconds() });
        if (verified.ok) revokedKeys.push(...verified.revokedKeys);
        codes.push(verified.ok ? 'good' : verified.code);
      }
      return codes;
    },
  };
}
