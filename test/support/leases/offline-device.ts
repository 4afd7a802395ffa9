import { generateKeyPairSync } from 'node:crypto';
import { publicKeyOf, signCompact, type Typ } from '../../../src/app/leases/compact.ts';

/** Creates an offline device with its own key. */
export function offlineDevice() {
  const { privateKey } = generateKeyPairSync('ed25519');
  const x = publicKeyOf(privateKey);
  const sign = (prefix: string, typ: Typ, payload: object) =>
    prefix + signCompact(typ, {}, payload as Record<string, unknown>, privateKey);
  return {
    x,
    /** Returns a request, `LKREQ1.…`. @param at milliseconds @param more members that replace those of the request */
    request: (key: string, at: number, more: object = {}) =>
      sign('LKREQ1.', 'lk-request+jwt', { key, x, n: 'nonce-1', iat: Math.floor(at / 1_000), ...more }),
    /** Returns a receipt, `LKOFF1.…`. */
    receipt: (activationId: number, licenseId: number, at: number, more: object = {}) =>
      sign('LKOFF1.', 'lk-release+jwt', {
        sub: `act_${activationId}`,
        lic: `lic_${licenseId}`,
        x,
        iat: Math.floor(at / 1_000),
        ...more,
      }),
  };
}
