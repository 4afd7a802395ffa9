/** Replaces values that differ between runs with placeholders. */
export interface Masks {
  /** Replaces a value with a placeholder wherever it occurs from now on. */
  learn(name: string, value: string): void;
  mask(text: string): string;
}

/** A pattern, and the name of its placeholder. If the pattern has a group, group 1 is preceding text that stays. */
interface Pattern {
  name: string;
  pattern: RegExp;
  /** Whether each value has its own number, so that the same value is recognized elsewhere. */
  isNumbered: boolean;
  /** Whether `name` is the whole placeholder. */
  isWhole?: true;
}

const numbered = (name: string, pattern: RegExp): Pattern => ({ name, pattern, isNumbered: true });
const plain = (name: string, pattern: RegExp): Pattern => ({ name, pattern, isNumbered: false });
/** A pattern for a JSON value that may not be a string. The placeholder is a string. */
const json = (name: string, pattern: RegExp): Pattern => ({
  ...plain(`"<${name}>"`, pattern),
  isWhole: true,
});

const PATTERNS: readonly Pattern[] = [
  plain('request id', /\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g),
  numbered('consumer key', /\bck_[0-9a-f]{40}\b/g),
  numbered('consumer secret', /\bcs_[0-9a-f]{40}\b/g),
  numbered('device cookie', /(latchkey_device=)[\w-]{22}\.[0-9a-f]{64}/g),
  numbered('session cookie', /(latchkey_session=)[\w-]{43}/g),
  numbered('csrf token', /("csrf_token":")[\w-]{43}/g),
  numbered('link token', /(setup#)[\w-]{27}/g),
  numbered('totp secret', /("secret":"|[?&]secret=)[A-Z2-7]{32}/g),
  numbered('recovery code', /\b[a-z0-9]{4}(?:-[a-z0-9]{4}){3}\b/g),
  numbered('key ending', /("key_ending":")[0-9a-f]{7}/g),
  // Activation tokens.
  numbered('token', /(?<![\w])[0-9a-f]{40}(?![\w])/g),
  // Every generator of the requests has this prefix and this suffix.
  numbered('generated key', /\bGK-[A-Z0-9-]+-END\b/g),
  plain('nonce', /('nonce-)[\w-]{22}/g),
  plain('etag', /W\/"[0-9a-f]+-[0-9a-f]+"/g),
  plain('HTTP date', /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} [\d:]{8} GMT/g),
  plain('code', /("code":")\d{6}(?=")/g),
  // The health check of the disk.
  json('bytes', /("check":"\w+","is_good":true,"amount":)\d+/g),
  json('runtime', /("runtime":)"[\d.]+"/g),
  // The server chains the trail and writes uses of API keys in the background.
  json('head of the chain', /("head":)(?:null|"\d+:[0-9a-f]{64}")/g),
  json('last access', /("last_access_at":)(?:null|"[^"]*")/g),
  // The minute of the limit may restart between two requests.
  plain('left', /("key";r=)[1-9]\d*/g),
  plain('seconds', /(;t=)\d+/g),
  plain('seconds', /(Try again in )\d+(?= seconds)/g),
  plain('seconds', /("seconds":)\d+/g),
];

/**
 * Download tokens of one second are equal, and tokens of two seconds are not: their claims identify them, not
 * numbers.
 */
const DOWNLOAD_TOKEN = /(?<![\w-])([\w-]{34})\.[\w-]{43}(?![\w-])/g;

/**
 * Returns the placeholder of a claim, which is a byte and three 64-bit integers: version, release, activation and
 * end. The placeholder shows the end as hours from the start.
 */
function downloadToken(claim: string, startedAt: number): string {
  const bytes = Buffer.from(claim, 'base64url');
  const [release, activation, end] = [1, 9, 17].map((at) => Number(bytes.readBigUInt64BE(at)));
  const hours = Math.floor(((end ?? 0) - startedAt + 60_000) / HOUR_MS);
  return `<download token ${bytes[0]}: release ${release}, activation ${activation}, ${end === 0 ? 'no end' : `${hours} hours`}>`;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Dates further away than this are fixed dates from the requests. */
const NEAR_DAYS = 750;

/** @param startedAt milliseconds since the epoch, before the first request */
export function createMasks(startedAt: number): Masks {
  const known = new Map<string, string>();
  const counts = new Map<string, number>();
  /** Matches every known value. `null` after a new value. */
  let anyKnown: RegExp | null = null;

  function placeholder(name: string, value: string): string {
    const found = known.get(value);
    if (found) return found;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    const made = `<${name} ${count}>`;
    known.set(value, made);
    anyKnown = null;
    return made;
  }

  return {
    learn(name, value) {
      known.set(value, `<${name}>`);
      anyKnown = null;
    },
    mask(text) {
      let masked = text.replace(DOWNLOAD_TOKEN, (_, claim) => downloadToken(claim, startedAt));
      for (const { name, pattern, isNumbered, isWhole } of PATTERNS) {
        masked = masked.replace(pattern, (all, ...rest) => {
          const before = typeof rest[0] === 'string' ? rest[0] : '';
          if (isNumbered) return before + placeholder(name, all.slice(before.length));
          return before + (isWhole ? name : `<${name}>`);
        });
      }
      // Values also occur without the text that identifies them.
      if (anyKnown === null) anyKnown = new RegExp([...known.keys()].map(escaped).join('|') || '$^', 'g');
      masked = masked.replace(anyKnown, (value) => known.get(value) ?? value);
      return maskTimes(masked, startedAt);
    },
  };
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** Replaces times near now with their distance from now, to the hour. */
function maskTimes(text: string, startedAt: number): string {
  return text
    .replace(/\b(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)?Z?/g, (all, day, time) => {
      const at = Date.parse(`${day}T${time}Z`);
      if (Number.isNaN(at) || Math.abs(at - startedAt) > NEAR_DAYS * DAY_MS) return all;
      // A run takes minutes at most, so the rest of an hour is the time since the start of the run.
      const hours = Math.floor((at - startedAt + 60_000) / HOUR_MS);
      return hours % 24 === 0 ? distance('now', hours / 24, 'days') : distance('now', hours, 'hours');
    })
    .replace(/(?<![\w-])\d{4}-\d\d-\d\d(?![\w-]| \d\d:)/g, (all) => {
      const days = Math.floor(Date.parse(all) / DAY_MS) - Math.floor(startedAt / DAY_MS);
      return Number.isNaN(days) || Math.abs(days) > NEAR_DAYS ? all : distance('today', days, 'days');
    })
    .replace(/licenses-\d{4}-\d\d-\d\d\.csv/g, 'licenses-<today>.csv')
    .replace(/\b\d{10}\b/g, (all) => {
      const seconds = Number(all) - startedAt / 1000;
      return Math.abs(seconds) < 3_600 ? '<seconds since 1970>' : all;
    });
}

const distance = (from: string, amount: number, unit: string): string =>
  amount === 0 ? `<${from}>` : `<${from} ${amount < 0 ? '-' : '+'} ${Math.abs(amount)} ${unit}>`;
