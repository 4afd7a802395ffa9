import { keyId, readCompact } from '../../src/app/leases/compact.ts';
import type { SigningKey } from '../../src/app/leases/signer.ts';

/** Signs a lease of a device. */
export const leaseBy = (key: SigningKey): string => key.sign('lk-lease+jwt', { sub: 'act_1', lic: 'lic_1' });

/** A program that keeps data: it pins root keys, and remembers revoked ones (steps 1 to 6 of lease-format.md). */
export function programPinning(pins: readonly string[]) {
  const revoked = new Set<string>();
  const roots = () => pins.filter((x) => !revoked.has(keyId(x)));
  return {
    /** Good, or the code of the step that fails. */
    check(lease: string): string {
      const read = readCompact(lease, 'lk-lease+jwt', ['kid', 'crt']);
      const certificate = readCompact(String(read?.header.crt), 'lk-cert+jwt', ['kid']);
      if (!read || !certificate) return 'malformed';
      if (!roots().some(certificate.isSignedBy)) return 'wrong_root';
      const { kid, x, use, rvk = [] } = certificate.payload;
      if (use !== 'lease' || kid !== read.header.kid) return 'bad_certificate';
      for (const id of rvk as string[]) revoked.add(id);
      if (revoked.has(String(kid))) return 'revoked_key';
      return read.isSignedBy(String(x)) ? 'good' : 'bad_signature';
    },
  };
}
