import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { getSystemErrorMessage, parseEnv } from 'node:util';

/** Why the settings cannot be used: one line, which names the setting or the file and never repeats a secret. */
export class InvalidSettings extends Error {}

/** Matches a value that parseEnv would cut off at a `#`, as if a comment began there, and systemd would not. */
const CUT = /^[^'"`#][^#]*(?<!\s)#/;

/** Matches a value that goes on after its closing quote, where parseEnv would cut it off. */
const GOES_ON = /^(['"`])(?:(?!\1).)*\1(?:#|\s*[^\s#])/;
/** Matches a backslash in double quotes, which parseEnv and systemd read differently. */
const ESCAPE = /^"[^"]*\\/;

/**
 * Reads `NAME=value` lines, as systemd's `EnvironmentFile=` and Docker's `--env-file` do. A value may be in quotes. Skips
 * empty lines, lines that begin with `#`, and the byte order mark that editors on Windows add.
 * @param refusal says why a name is refused; null if it is a setting
 * @throws InvalidSettings
 */
export function readConfigFile(
  path: string,
  refusal: (name: string) => string | null,
): Record<string, string> {
  const values: Record<string, string> = {};
  const content = contentOf(path, path).replace(/^\ufeff/, '');
  for (const [i, line] of content.split('\n').entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [name = '', value = ''] = Object.entries(parseEnv(line))[0] ?? [];
    const raw = line.slice(line.indexOf('=') + 1).trim();
    const fault = faultOf(name, value, raw) ?? refusal(name);
    if (fault !== null) throw new InvalidSettings(`${path}, line ${i + 1}: ${fault}`);
    values[name] = value;
  }
  return values;
}

/** Says why a line cannot be used; null if it can. @param value as parseEnv reads it, @param raw as written */
function faultOf(name: string, value: string, raw: string): string | null {
  if (!/^\w+$/.test(name)) return 'this is neither NAME=value nor a comment';
  if (CUT.test(raw)) return `put the value of ${name} in quotes, because # begins a comment`;
  if (/^['"`]/.test(value) && raw.startsWith(value)) return `the value of ${name} lacks its closing quote`;
  if (ESCAPE.test(raw))
    return `put the value of ${name} in single quotes, because \\ is special in double quotes`;
  return GOES_ON.test(raw) ? `the value of ${name} goes on after its closing quote` : null;
}

/** Whether every user of this machine can read a file. */
export const isReadableByAll = (path: string): boolean =>
  process.platform !== 'win32' && (statSync(path).mode & 0o004) !== 0;

/** Returns the content of a file that holds one value, without a newline at its end. @throws InvalidSettings */
export function readSecretFile(path: string, source: string): string {
  const value = contentOf(path, `${source}=${path}`).replace(/\r?\n$/, '');
  // An empty value would count as absent: the server would create a new master key.
  if (value === '') throw new InvalidSettings(`${source}=${path}: the file is empty`);
  return value;
}

/** Maximum bytes of a settings file: a device such as /dev/zero never ends. */
const BYTES_MAX = 64 * 1024;

/** Returns the text of a file. @throws InvalidSettings if it cannot be read or is too large */
function contentOf(path: string, source: string): string {
  try {
    const content = beginningOf(path);
    if (content.length > BYTES_MAX) throw new Error('it is larger than 64 KiB');
    return content.toString('utf8');
  } catch (error) {
    const { errno, message } = error as NodeJS.ErrnoException;
    throw new InvalidSettings(
      `${source} cannot be read: ${errno === undefined ? message : getSystemErrorMessage(errno)}`,
    );
  }
}

/** Returns the bytes of a file, which may be a pipe. Of a file that is too large, returns one byte more than the maximum. */
function beginningOf(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(BYTES_MAX + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, null);
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}
