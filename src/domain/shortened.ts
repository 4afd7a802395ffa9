const TEXT_MAX = 500;
const SHORTENED_TO = 200;

/** Cuts long texts: a changelog may have 256 KiB. Null for undefined. */
export function shortened(value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= TEXT_MAX) return value ?? null;
  return `${value.slice(0, SHORTENED_TO).toWellFormed()}… (${value.length} characters)`;
}
