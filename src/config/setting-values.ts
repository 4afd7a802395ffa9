import { isIP } from 'node:net';

/** The values that a setting accepts. */
export interface Values<T> {
  /** Completes "LATCHKEY_… must be …". */
  readonly form: string;
  /** Placeholder for the value in the help of the flag: `--port <port>`. */
  readonly placeholder: string;
  /** All values, if they are names. */
  readonly choices?: readonly string[];
  /** @returns undefined if the text is not a valid value */
  parse(text: string): T | undefined;
}

export const oneOf = <N extends string>(placeholder: string, ...names: readonly N[]): Values<N> => ({
  form: `one of ${names.join(', ')}`,
  placeholder,
  choices: names,
  parse: (text) => names.find((name) => name === text.toLowerCase()),
});

export const integer = (min: number, max: number, placeholder = 'n'): Values<number> => ({
  form: `an integer from ${min} to ${max}`,
  placeholder,
  parse(text) {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  },
});

export const matching = (pattern: RegExp, form: string, placeholder: string): Values<string> => ({
  form,
  placeholder,
  parse: (text) => (pattern.test(text) ? text : undefined),
});

export const anyText = (form: string, placeholder = 'text'): Values<string> => ({
  form,
  placeholder,
  parse: (text) => text,
});

/** Not an address, such as `s3://bucket`: that would be a folder named `s3:`. */
export const folder = matching(/^(?![a-z][a-z\d+.-]+:\/\/)/i, 'the path of a folder', 'folder');

/** Each worker takes 100 to 200 MB, so a larger number is probably a mistake. */
const WORKERS_MAX = 64;

export const workers: Values<number> = {
  form: `auto, or an integer from 1 to ${WORKERS_MAX}`,
  placeholder: 'n',
  parse(text) {
    // Equals os.availableParallelism(), without an import.
    if (text.toLowerCase() === 'auto') return Math.min(navigator.hardwareConcurrency, WORKERS_MAX);
    return integer(1, WORKERS_MAX).parse(text);
  },
};

const YES_OR_NO = oneOf('yes|no', 'yes', 'true', 'no', 'false');
export const yesOrNo: Values<boolean> = {
  ...YES_OR_NO,
  choices: ['yes', 'no'],
  parse(text) {
    const name = YES_OR_NO.parse(text);
    return name && ['yes', 'true'].includes(name);
  },
};

export const masterKey: Values<Uint8Array> = {
  form: '64 hex digits (openssl rand -hex 32)',
  placeholder: 'key',
  parse: (text) => (/^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, 'hex') : undefined),
};

export const databaseUrl: Values<string> = {
  form: 'an address like postgres://user:password@host:5432/database',
  placeholder: 'address',
  parse(text) {
    const url = URL.parse(text);
    return url && /^postgres(ql)?:$/.test(url.protocol) && url.pathname.length > 1 ? text : undefined;
  },
};

export const baseUrl: Values<string> = {
  form: 'an address like https://example.com or https://example.com/shop',
  placeholder: 'address',
  parse(text) {
    const url = URL.parse(text);
    const isPlain = url && !(url.search || url.hash || url.username || url.password);
    return isPlain && /^https?:$/.test(url.protocol) ? url.href.replace(/\/+$/, '') : undefined;
  },
};

export const credential = (prefix: 'ck_' | 'cs_'): Values<string> =>
  matching(
    new RegExp(`^${prefix}[A-Za-z0-9_-]{16,128}$`),
    `${prefix} followed by 16 to 128 letters and digits (openssl rand -hex 20 gives 40)`,
    'key',
  );

const SEGMENTS = matching(
  /^[\w.~-]+(\/[\w.~-]+)*$/,
  'one or more path segments of letters, digits, ".", "_", "~" and "-"',
  'path',
);
export const restPrefix: Values<string> = {
  ...SEGMENTS,
  parse: (text) => SEGMENTS.parse(text.replace(/^\/+|\/+$/g, '')),
};

const split = (list: string): string[] => list.split(',').map((one) => one.trim());

/** Splits a list at its commas. "none" is an empty list. */
const listed = (text: string): string[] => (text.toLowerCase() === 'none' ? [] : split(text));

/** Whether a text is an address, or a network as a CIDR. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const max = { 4: 32, 6: 128 }[isIP(address)];
  const isLength = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (max ?? 0));
  return max !== undefined && !address.includes('%') && isLength && rest.length === 0;
}

/** Networks that Fastify knows by name. */
const PROXY_NAMES = ['loopback', 'linklocal', 'uniquelocal'];

export const trustProxy: Values<boolean | string> = {
  form: 'no, yes, or a list of addresses and networks, like 10.0.0.0/8,::1',
  placeholder: 'addresses',
  parse(text) {
    const lower = text.toLowerCase();
    if (['yes', 'true'].includes(lower)) return true;
    if (['no', 'false'].includes(lower)) return false;
    // Networks of no bits stop Fastify. "yes" means the same.
    const isProxy = (one: string) => PROXY_NAMES.includes(one) || (isNetwork(one) && !/\/0+$/.test(one));
    return split(text).every(isProxy) ? text : undefined;
  },
};

export const corsOrigins: Values<'*' | readonly string[]> = {
  form: '*, none, or a list of origins like https://example.com',
  placeholder: 'origins',
  parse(text) {
    if (text === '*') return '*';
    const origins = listed(text);
    return origins.every((origin) => URL.parse(origin)?.origin === origin) ? origins : undefined;
  },
};

/** Networks as CIDRs. A single address is a network of one. */
export const networks: Values<readonly string[]> = {
  form: 'none, or a list of addresses and networks, like 10.1.0.0/16,fd00::/8',
  placeholder: 'networks',
  parse(text) {
    const all = listed(text);
    return all.every(isNetwork) ? all : undefined;
  },
};

const DAYS_MAX = 365;
const DAYS_COUNT = 10;
export const daysBefore: Values<readonly number[]> = {
  form: `none, or a list of at most ${DAYS_COUNT} different integers from 1 to ${DAYS_MAX}, like 30,7,1`,
  placeholder: 'days',
  parse(text) {
    const days = listed(text).map((one) => integer(1, DAYS_MAX).parse(one));
    const isList = new Set(days).size === days.length && days.length <= DAYS_COUNT;
    return isList && days.every((day) => day !== undefined) ? days : undefined;
  },
};
