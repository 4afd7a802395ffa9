/** Bytes in the type that WebCrypto accepts. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Encodes bytes as base64url without padding. */
export function encode(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Decodes base64url; returns null if the text is empty or not canonical. */
export function decode(text: string): Bytes | null {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    // atob tolerates white space, padding and spare bits.
    return bytes.length > 0 && encode(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}

export const utf8 = (text: string): Bytes => new TextEncoder().encode(text);

/** SHA-256 in base64url. @param data text is hashed in UTF-8 */
export async function sha256(data: string | Bytes): Promise<string> {
  const bytes = typeof data === 'string' ? utf8(data) : data;
  return encode(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}
