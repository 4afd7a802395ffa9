import { decode, encode, utf8 } from './base64url.ts';

// Reads and writes JWS in compact form, as docs/integrate/lease-format.md defines it.

export type Json = Readonly<Record<string, unknown>>;

const KEY_BYTES = 32;

/** A well-formed signed text. Its signature is not checked yet. */
export interface Compact {
  header: Readonly<Record<string, string>>;
  payload: Json;
  /**
   * Checks the signature.
   * @param x the public key, 32 bytes in base64url
   * @throws NotSupportedError if WebCrypto has no Ed25519; TypeError if the page is not secure and has no WebCrypto
   */
  isSignedBy(x: string): Promise<boolean>;
}

/**
 * Parses a signed text without checking its signature.
 * @param members the names in the header, besides `alg` and `typ`
 * @param max the maximum number of characters
 * @returns null if the text is malformed
 */
export function readCompact(
  text: string,
  typ: string,
  members: readonly string[],
  max: number,
): Compact | null {
  const parts = text.length <= max ? text.split('.') : [];
  const [head, body, signature] = parts.length === 3 ? parts.map(decode) : [];
  const header = head && objectOf(head);
  const payload = body && objectOf(body);
  if (!header || !payload || !signature) return null;
  const names = ['alg', 'typ', ...members];
  const isGood =
    Object.keys(header).length === names.length &&
    names.every((name) => typeof header[name] === 'string') &&
    header.alg === 'EdDSA' &&
    header.typ === typ;
  if (!isGood) return null;
  const signed = utf8(text.slice(0, text.lastIndexOf('.')));
  return {
    header: header as Record<string, string>,
    payload,
    async isSignedBy(x) {
      const bytes = decode(x);
      if (bytes?.length !== KEY_BYTES) return false;
      try {
        const key = await crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']);
        return await crypto.subtle.verify('Ed25519', key, signature, signed);
      } catch (error) {
        // For bytes that are not a point of the curve, some engines throw and others return false.
        if (isUnsupported(error)) throw error;
        return false;
      }
    },
  };
}

/** Whether WebCrypto has no Ed25519 (Chrome before 137), or is missing (a page that is neither HTTPS nor localhost). */
export const isUnsupported = (error: unknown): boolean =>
  !globalThis.crypto?.subtle || (error as Error).name === 'NotSupportedError';

/** Signs a payload, and returns the compact form. @param sign signs with Ed25519 */
export async function signCompact(
  typ: string,
  payload: Json,
  sign: (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>,
): Promise<string> {
  const signed = [{ alg: 'EdDSA', typ }, payload].map((part) => encode(utf8(JSON.stringify(part)))).join('.');
  return `${signed}.${encode(await sign(utf8(signed)))}`;
}

/** Matches the strings of a JSON text. The second group is set if the string is the name of a member. */
const STRINGS = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?/g;

/** Parses a JSON object; null for anything else, and also if a name occurs twice or contains an escape. */
function objectOf(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return null;
    const names = new Set<string>();
    for (const [, name = '', colon] of text.matchAll(STRINGS)) {
      if (!colon) continue;
      if (names.has(name) || name.includes('\\')) return null;
      names.add(name);
    }
    return value;
  } catch {
    return null;
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @throws an error for which `isUnsupported` is true, if WebCrypto has no Ed25519 */
export async function requireEd25519(): Promise<void> {
  await crypto.subtle.importKey('raw', new Uint8Array(KEY_BYTES), 'Ed25519', false, ['verify']);
}
