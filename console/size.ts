import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FIRST } from './chunks.ts';

/**
 * Prints how much the sign-in page and the list of licenses load, from the build manifest: with gzip, which browsers accept
 * over plain HTTP, and with brotli, which they accept only over HTTPS. Fails if the gzipped JavaScript of the sign-in page
 * exceeds the limit.
 */

export const LIMIT = 195_000;
const DIST = join(import.meta.dirname, '../dist/console');
const TEXTS = 'messages/first/en.ts';

interface Chunk {
  file: string;
  imports?: string[];
  css?: string[];
}

const manifest: Record<string, Chunk> = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8'));

/** Returns the files of a module's chunk and of all chunks that it imports. */
function filesOf(name: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[name];
  if (!chunk) throw new Error(`the build has no ${name}`);
  if (seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const css of chunk.css ?? []) seen.add(css);
  for (const imported of chunk.imports ?? []) filesOf(imported, seen);
  return seen;
}

/** Returns the files that index.html loads, which every page needs. */
const ofEveryPage = (): string[] =>
  [...readFileSync(join(DIST, 'index.html'), 'utf8').matchAll(/"\.\/([^"]+\.(?:js|css))"/g)].map(
    ([, file = '']) => file,
  );

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

/** Returns the files that a page loads if it is opened first, and their sizes. */
export function firstLoad(page: 'signIn' | 'list'): {
  files: [file: string, bytes: Size][];
  script: Size;
  all: Size;
} {
  const parts = [...FIRST[page], TEXTS].flatMap((entry) => [...filesOf(entry)]);
  const files = [...new Set(['index.html', ...ofEveryPage(), ...parts])].map((file): [string, Size] => [
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
  const line = ({ gzip, brotli }: Size, name: string) =>
    console.log(`${String(gzip).padStart(8)} ${String(brotli).padStart(8)}  ${name}`);
  for (const page of ['signIn', 'list'] as const) {
    const { files, script, all } = firstLoad(page);
    console.log(
      `    gzip   brotli  ${page === 'signIn' ? 'sign-in page' : 'list of licenses, without data'}`,
    );
    for (const [file, bytes] of files) line(bytes, file);
    line(all, 'total');
    line(script, page === 'signIn' ? `JavaScript; the limit is ${LIMIT}` : 'JavaScript');
    if (page === 'signIn' && script.gzip > LIMIT) process.exitCode = 1;
  }
}
