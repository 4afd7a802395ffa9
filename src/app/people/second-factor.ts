import { hash, randomBytes } from 'node:crypto';
import type { EnteredCode } from './sessions.ts';

/** One-time codes (RFC 6238), with the parameters that every authenticator supports. */
const TOTP = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Also accepts the code of the step before or after: clocks differ, and typing takes time. */
const WINDOW = 1;
const RECOVERY_CODES = 10;
const RECOVERY_LENGTH = 16;
/** 32 characters, without letters that look alike. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz012345678';

/** Loaded on demand: most processes do not need it. */
const load = () => import('otpauth');

/** Returns a new random secret of 20 bytes in Base32. */
export async function makeTotpSecret(): Promise<string> {
  const { Secret } = await load();
  return new Secret({ size: 20 }).base32;
}

/** Returns the URL that an authenticator reads from a QR code. @param label the user's name */
export async function totpAddress(secret: string, label: string): Promise<string> {
  const { TOTP: Totp } = await load();
  return new Totp({ ...TOTP, issuer: 'Latchkey', label, secret }).toString();
}

/** Returns a code without what people type between its characters. Full-width digits become ASCII digits. */
export const plainCode = (typed: string): string =>
  typed
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');

const isTotp = (code: string): boolean => /^\d{6}$/.test(code);

/** Returns the time step of a code; null if the code is wrong. @param now milliseconds since the epoch */
export async function totpStep(secret: string, code: string, now: number): Promise<number | null> {
  if (!isTotp(code)) return null;
  const { TOTP: Totp } = await load();
  const delta = new Totp({ ...TOTP, secret }).validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? null : Math.floor(now / 1000 / TOTP.period) + delta;
}

/** Reads an authenticator code or a recovery code. @param secret of the user's authenticator */
export async function readCode(typed: string, secret: string, now: number): Promise<EnteredCode> {
  const code = plainCode(typed);
  if (isTotp(code)) return { kind: 'totp', secret, step: await totpStep(secret, code, now) };
  return { kind: 'recovery_code', hash: hashRecoveryCode(code) };
}

/** Returns the SHA-256 of a recovery code: secure for 80 random bits. */
const hashRecoveryCode = (code: string): Buffer => hash('sha256', `recovery ${code}`, 'buffer');

/** Returns codes of 80 random bits, to show once as `xxxx-xxxx-xxxx-xxxx`, and the hashes to store. */
export function makeRecoveryCodes(): { codes: string[]; hashes: Buffer[] } {
  const plain = Array.from({ length: RECOVERY_CODES }, () =>
    [...randomBytes(RECOVERY_LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]).join(''),
  );
  return {
    codes: plain.map((code) => code.replace(/(.{4})(?=.)/g, '$1-')),
    hashes: plain.map(hashRecoveryCode),
  };
}
