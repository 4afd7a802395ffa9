const TEXT_MAX = 500;
const SHORTENED_TO = 200;

/** Truncates long text, because a changelog may have 256 KiB. Returns null for undefined, and other values unchanged. */
export function shortened(value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= TEXT_MAX) return value ?? null;
  return `${value.slice(0, SHORTENED_TO).toWellFormed()}… (${value.length} characters)`;
}
