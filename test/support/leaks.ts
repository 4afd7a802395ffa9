import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/**
 * Every test run searches for plaintext secrets: the log and error output of everything that a test starts, and the
 * files that it leaves, must contain nothing that looks like the secrets that tests create. A match fails the test file
 * at its end.
 */
const CREDENTIAL = /c[ks]_[0-9a-f]{40}/;
/** `ck_` and 40 hex digits as encoded in an Authorization header: three digits are four characters of base64. */
const HEADER = /Y2tf([MNOYZ][DGTWjmz2][A-Za-z0-9+/]{2}){13}/;
/** License keys of `newKey`. */
const LICENSE_KEY = /TEST-[0-9A-F]{12}/;
/** Tokens of activations. Nothing else in the log has as many hexadecimal digits. */
const TOKEN = /(?<![0-9a-f])[0-9a-f]{40}(?![0-9a-f])/;

const IN_FILES = [CREDENTIAL, HEADER, LICENSE_KEY];
const IN_LOGS = [...IN_FILES, TOKEN];
const IN_ERRORS = [CREDENTIAL, HEADER];

const found = new Set<string>();

function search(where: string, text: string, patterns: readonly RegExp[]): void {
  for (const pattern of patterns) {
    const at = pattern.exec(text)?.index;
    if (at !== undefined)
      found.add(`${where}: ${JSON.stringify(text.slice(Math.max(0, at - 100), at + 100))}`);
  }
}

/** Searches the log lines in the output of a service, which may contain other lines. */
export function searchLog(text: string): void {
  for (const line of text.split('\n').filter((one) => one.startsWith('{'))) {
    search('a line of the log', line, IN_LOGS);
  }
}

/** Searches what a process writes to standard error, including crashes, or the answer to a refused request. */
export const searchErrors = (text: string): void => search('an error', text, IN_ERRORS);

/** Searches databases, all files of a PostgreSQL server, and backups in a folder of a test. */
export function searchFolder(folder: string): void {
  if (!existsSync(folder)) return;
  const isServer = existsSync(join(folder, 'data', 'PG_VERSION'));
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const files = entries.map(({ name, parentPath }) => ({ name, file: join(parentPath, name) }));
  const masterKeys = files.filter(({ name }) => name.startsWith('master.key')).flatMap(masterKeyIn);
  const patterns = [...IN_FILES, ...masterKeys];
  for (const { name, file } of files) {
    if (isServer || name.startsWith('latchkey.db')) search(file, contentOf(file), patterns);
    else if (/^latchkey-.*\.tar/.test(name)) searchBackup(file, patterns);
  }
}

/** Returns the content of a file, which is empty if an ending process has just removed the file. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Returns patterns that find a master key as digits and as bytes; none if a test has damaged the file. */
function masterKeyIn({ file }: { file: string }): RegExp[] {
  const [digits] = /^[0-9a-f]{64}/i.exec(readFileSync(file, 'latin1')) ?? [];
  if (!digits) return [];
  return [new RegExp(digits, 'i'), new RegExp(digits.replace(/../g, '\\x$&'))];
}

/**
 * Searches the entries of a tar file: a 512-byte header with the size in octal digits, then the content, padded to
 * whole blocks.
 */
function searchBackup(file: string, patterns: readonly RegExp[]): void {
  const bytes = readFileSync(file);
  for (let at = 0; at + 512 <= bytes.length; ) {
    const name = bytes.toString('latin1', at, at + 100).replace(/\0.*$/s, '');
    const size = Number.parseInt(bytes.toString('latin1', at + 124, at + 136), 8) || 0;
    const held = bytes.subarray(at + 512, at + 512 + size);
    search(`${file} ${name}`, textOf(name, held), patterns);
    at += 512 + Math.ceil(size / 512) * 512;
  }
}

function textOf(name: string, bytes: Buffer): string {
  try {
    return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');
  } catch {
    // A test has damaged the entry.
    return bytes.toString('latin1');
  }
}

/** Returns a description of each secret found since the last call. */
export function findLeaks(): string[] {
  const leaks = [...found];
  found.clear();
  return leaks;
}
