import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/**
 * Every test run looks for what must be nowhere in clear: whatever a test has started, its log, its error output and the
 * files that it leaves are searched for anything that looks like the secrets that tests make. What is found fails the
 * test file, at its end.
 */
const CREDENTIAL = /c[ks]_[0-9a-f]{40}/;
/** `ck_…:` as an Authorization header has it. */
const HEADER = /Y2tf[A-Za-z0-9+/]{50}/;
/** As `newKey` makes them. */
const LICENSE_KEY = /TEST-[0-9A-F]{12}/;
/** Of activations; nothing else that is logged has as many digits. */
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

/** Lines of the log of a service, on standard output among others that greet, or on their own. */
export function searchLog(text: string): void {
  for (const line of text.split('\n').filter((one) => one.startsWith('{'))) {
    search('a line of the log', line, IN_LOGS);
  }
}

/** What a process writes to standard error, when it crashes, too; or what a client is answered when it is refused. */
export const searchErrors = (text: string): void => search('an error', text, IN_ERRORS);

/** Databases, SQLite's and all of a PostgreSQL server, and backups, in a folder that a test has made. */
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

/** A process that is ending may still remove its files: one that is gone has no content. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** What finds a master key, in digits or as bytes. None of a file that a test has damaged. */
function masterKeyIn({ file }: { file: string }): RegExp[] {
  const [digits] = /^[0-9a-f]{64}/i.exec(readFileSync(file, 'latin1')) ?? [];
  if (!digits) return [];
  return [new RegExp(digits, 'i'), new RegExp(digits.replace(/../g, '\\x$&'))];
}

/** Entries of a tar: a header of 512 bytes, with the size in octal digits, then as many bytes, filled up to whole blocks. */
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
    // A test has damaged it.
    return bytes.toString('latin1');
  }
}

/** What was found since the last call, in words. */
export function findLeaks(): string[] {
  const leaks = [...found];
  found.clear();
  return leaks;
}
