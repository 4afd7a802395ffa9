import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DownloadClaim } from '../../domain/download.ts';

/** Makes and reads download tokens: a claim, in the open, with an HMAC-SHA-256 that only this service can make. */
export interface DownloadTokens {
  /** Letters, digits, `-`, `_` and one `.`, which no activation token has. */
  issue(claim: DownloadClaim): string;
  /** What a token says, however long ago; 'forged' where it was never issued, null for what has not its form. */
  read(token: string): DownloadClaim | 'forged' | null;
}

const FORM = /^([A-Za-z0-9_-]{34})\.([A-Za-z0-9_-]{43})$/;
/** Version, release, activation (0 for none), instant. */
const CLAIM_BYTES = 1 + 3 * 8;
const VERSION = 1;

/** @param key 32 bytes, derived from the master key for this alone */
export function createDownloadTokens(key: Uint8Array): DownloadTokens {
  const sign = (claim: string): string => createHmac('sha256', key).update(claim).digest('base64url');
  return {
    issue({ releaseId, activationId, expiresAt }) {
      const bytes = Buffer.alloc(CLAIM_BYTES);
      bytes.writeUInt8(VERSION);
      bytes.writeBigUInt64BE(BigInt(releaseId), 1);
      bytes.writeBigUInt64BE(BigInt(activationId ?? 0), 9);
      bytes.writeBigUInt64BE(BigInt(expiresAt), 17);
      const claim = bytes.toString('base64url');
      return `${claim}.${sign(claim)}`;
    },
    read(token) {
      const [, claim, signature] = FORM.exec(token) ?? [];
      if (claim === undefined || signature === undefined) return null;
      if (!timingSafeEqual(Buffer.from(signature), Buffer.from(sign(claim)))) return 'forged';
      const bytes = Buffer.from(claim, 'base64url');
      if (bytes.readUInt8() !== VERSION) return 'forged';
      return {
        releaseId: Number(bytes.readBigUInt64BE(1)),
        activationId: Number(bytes.readBigUInt64BE(9)) || null,
        expiresAt: Number(bytes.readBigUInt64BE(17)),
      };
    },
  };
}
