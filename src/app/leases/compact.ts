import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { isObject } from '../../domain/fields.ts';

// JWS compact serialization with Ed25519, stricter than RFC 7515: docs/integrate/lease-format.md.

/** The kind of a signed text: `typ` in its header. */
export type Typ = 'lk-lease+jwt' | 'lk-cert+jwt' | 'lk-revocations+jwt' | 'lk-request+jwt' | 'lk-release+jwt';

/** Maximum number of characters of a signed text, except a revocation list. */
export const TEXT_MAX = 8_192;

const ID_LENGTH = 16;
const KEY_BYTES = 32;

/** The members of a header besides `alg` and `typ`. */
export type HeaderMembers = { kid?: string; crt?: string };

/**
 * Signs a payload.
 * @param key an Ed25519 private key
 * @param payload undefined members are left out
 */
export function signCompact(
  typ: Typ,
  header: HeaderMembers,
  payload: Readonly<Record<string, unknown>>,
  key: KeyObject,
): string {
  const encoded = [{ alg: 'EdDSA', typ, ...header }, payload].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signed = encoded.join('.');
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
}

/** A text of valid form whose signature has not been checked yet. */
export interface Compact {
  header: Readonly<Record<string, unknown>>;
  payload: Readonly<Record<string, unknown>>;
  /** Whether a key has signed the text. @param x the public key, as returned by `publicKeyOf` */
  isSignedBy(x: string): boolean;
}

/**
 * Reads the form of a signed text.
 * @param members names of all header members besides `alg` and `typ`; each must be a string
 * @returns null for text of any other form
 */
export function readCompact(text: string, typ: Typ, members: readonly string[] = []): Compact | null {
  const parts = text.length <= TEXT_MAX ? text.split('.') : [];
  const decoded = parts.map(decode);
  const [head, body, signature] = decoded;
  if (decoded.length !== 3 || !head || !body || !signature) return null;
  const header = objectOf(head);
  const payload = objectOf(body);
  if (!header || !payload) return null;
  const names = ['alg', 'typ', ...members];
  const isGood =
    Object.keys(header).length === names.length &&
    names.every((name) => typeof header[name] === 'string') &&
    header.alg === 'EdDSA' &&
    header.typ === typ;
  if (!isGood) return null;
  const signed = Buffer.from(text.slice(0, text.lastIndexOf('.')));
  return {
    header,
    payload,
    isSignedBy(x) {
      const key = readPublicKey(x);
      return key !== null && verify(null, signed, key, signature);
    },
  };
}

/** Decodes base64url; null for empty or non-canonical text. */
function decode(part: string): Buffer | null {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.length > 0 && bytes.toString('base64url') === part ? bytes : null;
}

/** Matches each string in JSON; group 2 is set if the string is a name. */
const STRINGS = /"((?:[^"\\]|\\.)*)"(\s*:)?/g;

/** Parses a JSON object; null for anything else, and for JSON in which any name occurs twice or has an escape. */
function objectOf(bytes: Buffer): Record<string, unknown> | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return null;
    const names = Array.from(text.matchAll(STRINGS)).flatMap(([, name = '', colon]) => (colon ? [name] : []));
    const isPlain = new Set(names).size === names.length && !names.some((name) => name.includes('\\'));
    return isPlain ? value : null;
  } catch {
    return null;
  }
}

/** Returns the public half of an Ed25519 key: 32 bytes in base64url. */
export const publicKeyOf = (key: KeyObject): string => {
  const isPrivate = key.type === 'private';
  return (isPrivate ? createPublicKey(key) : key).export({ format: 'jwk' }).x as string;
};

/** Reads an Ed25519 public key from 32 bytes in base64url; null for anything else. */
export function readPublicKey(x: string): KeyObject | null {
  if (decode(x)?.length !== KEY_BYTES) return null;
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  } catch {
    return null;
  }
}

/** Reads an Ed25519 private key from PKCS #8 in PEM; null for anything else. */
export function readPrivateKey(pem: string): KeyObject | null {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'ed25519' ? key : null;
  } catch {
    return null;
  }
}

/** Returns the id of a key. @param x the public half, 32 bytes in base64url */
export const keyId = (x: string): string =>
  createHash('sha256').update(Buffer.from(x, 'base64url')).digest('base64url').slice(0, ID_LENGTH);
