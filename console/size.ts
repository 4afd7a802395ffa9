import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Prints what the sign-in page loads, from the build manifest: with gzip, which browsers accept over plain HTTP, and with
 * brotli, over HTTPS. Fails if its JavaScript exceeds the limit with gzip.
 */

export const LIMIT = 260_000;
const DIST = join(import.meta.dirname, '../dist/console');
/** The page, its own chunk and the English texts. */
const ENTRIES = ['index.html', 'features/sign-in/SignInPage.tsx', 'messages/en/index.ts'];

interface Chunk {
  file: string;
  imports?: string[];
  css?: string[];
}

const manifest: Record<string, Chunk> = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8'));

/** The files of a chunk and its imports. */
function filesOf(name: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[name];
  if (!chunk) throw new Error(`the build has no ${name}`);
  if (seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const css of chunk.css ?? []) seen.add(css);
  for (const imported of chunk.imports ?? []) filesOf(imported, seen);
  return seen;
}

interface Size {
  gzip: number;
  brotli: number;
}
function sizeOf(file: string): Size {
  const sizeAs = (ending: string) => {
    const compressed = join(DIST, `${file}.${ending}`);
    return statSync(existsSync(compressed) ? compressed : join(DIST, file)).size;
  };
  return { gzip: sizeAs('gz'), brotli: sizeAs('br') };
}

/** The sizes of the files that the sign-in page loads. */
export function firstLoad(): { files: [file: string, bytes: Size][]; script: Size; all: Size } {
  const names = new Set(ENTRIES.flatMap((entry) => [...filesOf(entry)]));
  const files = [...names, 'color-scheme.js', 'index.html'].map((file): [string, Size] => [
    file,
    sizeOf(file),
  ]);
  files.sort(([, a], [, b]) => b.gzip - a.gzip);
  const sum = (some: [string, Size][]): Size => ({
    gzip: some.reduce((total, [, { gzip }]) => total + gzip, 0),
    brotli: some.reduce((total, [, { brotli }]) => total + brotli, 0),
  });
  return { files, script: sum(files.filter(([file]) => file.endsWith('.js'))), all: sum(files) };
}

if (import.meta.main) {
  const { files, script, all } = firstLoad();
  const line = ({ gzip, brotli }: Size, name: string) =>
    console.log(`${String(gzip).padStart(8)} ${String(brotli).padStart(8)}  ${name}`);
  console.log('    gzip   brotli');
  for (const [file, bytes] of files) line(bytes, file);
  line(all, 'total');
  line(script, `JavaScript; the limit is ${LIMIT}`);
  if (script.gzip > LIMIT) process.exitCode = 1;
}
