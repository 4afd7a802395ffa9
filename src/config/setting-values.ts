/** Parses the text of a setting. Throws an Error whose message completes "LATCHKEY_… must be …". */
export type Parse<T> = (text: string) => T;

const mustBe = (what: string): Error => new Error(what);

export const oneOf =
  <N extends string>(...names: readonly N[]): Parse<N> =>
  (text) => {
    const found = names.find((name) => name === text.toLowerCase());
    if (!found) throw mustBe(`one of ${names.join(', ')}`);
    return found;
  };

export const integer =
  (min: number, max: number): Parse<number> =>
  (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw mustBe(`an integer from ${min} to ${max}`);
    return value;
  };

/** @param what completes "must be" */
export const matching =
  (pattern: RegExp, what: string): Parse<string> =>
  (text) => {
    if (!pattern.test(text)) throw mustBe(what);
    return text;
  };

export const anyText: Parse<string> = (text) => text;

/** Each worker takes 100 to 200 MB, so a larger number is probably a mistake. */
const WORKERS_MAX = 64;

export function workers(text: string): number {
  // Equals os.availableParallelism(), without an import.
  if (text.toLowerCase() === 'auto') return Math.min(navigator.hardwareConcurrency, WORKERS_MAX);
  const value = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > WORKERS_MAX) throw mustBe(`auto, or an integer from 1 to ${WORKERS_MAX}`);
  return value;
}

export const yesOrNo: Parse<boolean> = (text) =>
  ['yes', 'true'].includes(oneOf('yes', 'true', 'no', 'false')(text));

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

export const credential = (prefix: 'ck_' | 'cs_'): Parse<string> =>
  matching(
    new RegExp(`^${prefix}[A-Za-z0-9_-]{16,128}$`),
    `${prefix} followed by 16 to 128 letters and digits (openssl rand -hex 20 gives 40)`,
  );

export const restPrefix: Parse<string> = (text) =>
  matching(
    /^[\w.~-]+(\/[\w.~-]+)*$/,
    'one or more path segments of letters, digits, ".", "_", "~" and "-"',
  )(text.replace(/^\/+|\/+$/g, ''));

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
