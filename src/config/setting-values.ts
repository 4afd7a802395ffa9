/**
 * How the text of a setting becomes its value. Each throws an Error whose message completes "LATCHKEY_… must be …".
 */

/** What completes that sentence. */
export const mustBe = (what: string): Error => new Error(what);
const CREDENTIAL = /^c[ks]_[A-Za-z0-9_-]{16,128}$/;

export function oneOf<N extends string>(names: readonly N[], text: string): N {
  const found = names.find((name) => name === text.toLowerCase());
  if (!found) throw mustBe(`one of ${names.join(', ')}`);
  return found;
}

export function integerIn(text: string, min: number, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw mustBe(`an integer from ${min} to ${max}`);
  return value;
}

/** Each takes 100 to 200 MB, so a larger number is a slip. */
const WORKERS_MAX = 64;

export function workers(text: string): number {
  // The same number as os.availableParallelism(): settings import nothing.
  if (text.toLowerCase() === 'auto') return Math.min(navigator.hardwareConcurrency, WORKERS_MAX);
  const value = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > WORKERS_MAX) throw mustBe(`auto, or an integer from 1 to ${WORKERS_MAX}`);
  return value;
}

export function yesOrNo(text: string): boolean {
  return ['yes', 'true'].includes(oneOf(['yes', 'true', 'no', 'false'], text));
}

export function masterKey(text: string): Uint8Array {
  if (!/^[0-9a-fA-F]{64}$/.test(text)) throw mustBe('64 hex digits (openssl rand -hex 32)');
  return Buffer.from(text, 'hex');
}

export function databaseUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || url.pathname.length < 2)
    throw mustBe('an address like postgres://user:password@host:5432/database');
  return text;
}

export function baseUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw mustBe('an address like https://example.com or https://example.com/shop');
  }
  return url.href.replace(/\/+$/, '');
}

export function credential(text: string, prefix: string): string {
  if (!text.startsWith(prefix) || !CREDENTIAL.test(text)) {
    throw mustBe(`${prefix} followed by 16 to 128 letters and digits (openssl rand -hex 20 gives 40)`);
  }
  return text;
}

export function trustProxy(text: string): boolean | string {
  const lower = text.toLowerCase();
  if (['yes', 'true'].includes(lower)) return true;
  if (['no', 'false'].includes(lower)) return false;
  if (!/^[\da-fA-F:/, .]*[.:][\da-fA-F:/, .]*$|^(loopback|linklocal|uniquelocal)$/.test(text)) {
    throw mustBe('no, yes, or a list of addresses and networks, like 10.0.0.0/8,::1');
  }
  return text;
}

export function corsOrigins(text: string): '*' | readonly string[] {
  if (text === '*') return '*';
  if (text.toLowerCase() === 'none') return [];
  const origins = text.split(',').map((origin) => origin.trim());
  for (const origin of origins) {
    if (URL.parse(origin)?.origin !== origin)
      throw mustBe('*, none, or a list of origins like https://example.com');
  }
  return origins;
}
