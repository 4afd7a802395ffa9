import { hash, randomBytes } from 'node:crypto';
import type { ShownCode } from './complete-session.ts';

/** One-time codes of an authenticator (RFC 6238, as all of them know it), and recovery codes. */
const TOTP = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** A code of the step before or after is taken too: clocks differ, and typing takes time. */
const WINDOW = 1;
const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 16;
/** No letters that are taken for others. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz0123456789'.slice(0, 32);

/** Loaded when it is wanted: most processes never do. */
const load = () => import('otpauth');

/** Base32. */
export async function makeTotpSecret(): Promise<string> {
  const { Secret } = await load();
  return new Secret({ size: 20 }).base32;
}

/** What an authenticator reads from a QR code. @param label whose it is */
export async function totpAddress(secret: string, label: string): Promise<string> {
  const { TOTP: Totp } = await load();
  return new Totp({ ...TOTP, issuer: 'Latchkey', label, secret }).toString();
}

/** The time step that a code is of; null where it is wrong. @param now milliseconds since the epoch */
export async function totpStep(secret: string, code: string, now: number): Promise<number | null> {
  const { TOTP: Totp } = await load();
  const delta = new Totp({ ...TOTP, secret }).validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? null : Math.floor(now / 1000 / TOTP.period) + delta;
}

/** What was typed, as an authenticator's code or a recovery code. @param secret null where no authenticator is known */
export async function readCode(typed: string, secret: string, now: number): Promise<ShownCode> {
  const code = typed
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
  if (/^\d{6}$/.test(code)) return { kind: 'totp', secret, step: await totpStep(secret, code, now) };
  return { kind: 'recovery_code', hash: hashRecoveryCode(code) };
}

/** SHA-256; enough for 80 random bits. */
const hashRecoveryCode = (code: string): Buffer => hash('sha256', `recovery ${code}`, 'buffer');

/** Codes of 80 random bits, shown once as `xxxx-xxxx-xxxx-xxxx`, and what is kept of them. */
export function makeRecoveryCodes(): { codes: string[]; hashes: Buffer[] } {
  const plain = Array.from({ length: RECOVERY_CODES }, () =>
    [...randomBytes(RECOVERY_BYTES)].map((byte) => LETTERS[byte % LETTERS.length]).join(''),
  );
  return {
    codes: plain.map((code) => code.replace(/(.{4})(?=.)/g, '$1-')),
    hashes: plain.map(hashRecoveryCode),
  };
}
