import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DownloadClaim } from '../../domain/releases/download.ts';

const FORM = /^([A-Za-z0-9_-]{34})\.([A-Za-z0-9_-]{43})$/;
/** One byte for the form, then 8 bytes each: release, activation or license (0 for neither), expiry. */
const CLAIM_BYTES = 1 + 3 * 8;
const OF_ACTIVATION = 1;
const OF_LICENSE = 2;

export type DownloadTokens = ReturnType<typeof createDownloadTokens>;

/**
 * Issues and reads download tokens: a readable claim with an HMAC-SHA-256 of this service.
 * @param key 32 bytes, derived from the master key for this purpose only
 */
export function createDownloadTokens(key: Uint8Array) {
  const sign = (claim: string): string => createHmac('sha256', key).update(claim).digest('base64url');
  return {
    /** Returns a token for a claim. The token has a `.`, unlike activation tokens. */
    issue({ releaseId, activationId, licenseId, expiresAt }: DownloadClaim): string {
      const bytes = Buffer.alloc(CLAIM_BYTES);
      bytes.writeUInt8(licenseId === null ? OF_ACTIVATION : OF_LICENSE);
      bytes.writeBigUInt64BE(BigInt(releaseId), 1);
      bytes.writeBigUInt64BE(BigInt(licenseId ?? activationId ?? 0), 9);
      bytes.writeBigUInt64BE(BigInt(expiresAt), 17);
      const claim = bytes.toString('base64url');
      return `${claim}.${sign(claim)}`;
    },
    /** Returns the claim of a token, even an expired one; `forged` for a wrong signature, null for text of another form. */
    read(token: string): DownloadClaim | 'forged' | null {
      const [, claim, signature] = FORM.exec(token) ?? [];
      if (claim === undefined || signature === undefined) return null;
      if (!timingSafeEqual(Buffer.from(signature), Buffer.from(sign(claim)))) return 'forged';
      const bytes = Buffer.from(claim, 'base64url');
      const form = bytes.readUInt8();
      if (form !== OF_ACTIVATION && form !== OF_LICENSE) return 'forged';
      const holder = Number(bytes.readBigUInt64BE(9)) || null;
      return {
        releaseId: Number(bytes.readBigUInt64BE(1)),
        activationId: form === OF_ACTIVATION ? holder : null,
        licenseId: form === OF_LICENSE ? holder : null,
        expiresAt: Number(bytes.readBigUInt64BE(17)),
      };
    },
  };
}
