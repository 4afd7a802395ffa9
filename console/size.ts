import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What the sign-in page loads, compressed as it is served to most browsers, from the manifest of the build. Fails where its
 * JavaScript is more than the limit.
 */

export const LIMIT = 250_000;
const DIST = join(import.meta.dirname, '../dist/console');
/** The page itself, and what it asks for by itself when it starts: its own chunk and the texts of the language. */
const ENTRIES = ['index.html', 'features/sign-in/SignInPage.tsx', 'messages/en/index.ts'];

interface Chunk {
  file: string;
  imports?: string[];
  css?: string[];
}

const manifest: Record<string, Chunk> = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8'));

/** Files of a chunk and of all that it imports. */
function filesOf(name: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[name];
  if (!chunk) throw new Error(`the build has no ${name}`);
  if (seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const css of chunk.css ?? []) seen.add(css);
  for (const imported of chunk.imports ?? []) filesOf(imported, seen);
  return seen;
}

const sizeOf = (file: string): number => {
  const compressed = join(DIST, `${file}.br`);
  return statSync(existsSync(compressed) ? compressed : join(DIST, file)).size;
};

/** Bytes of the JavaScript and of everything that the sign-in page loads, by file. */
export function firstLoad(): { files: [file: string, bytes: number][]; script: number; all: number } {
  const names = new Set(ENTRIES.flatMap((entry) => [...filesOf(entry)]));
  const files = [...names, 'color-scheme.js', 'index.html'].map((file): [string, number] => [
    file,
    sizeOf(file),
  ]);
  files.sort(([, a], [, b]) => b - a);
  const sum = (some: [string, number][]) => some.reduce((total, [, bytes]) => total + bytes, 0);
  return { files, script: sum(files.filter(([file]) => file.endsWith('.js'))), all: sum(files) };
}

if (import.meta.main) {
  const { files, script, all } = firstLoad();
  for (const [file, bytes] of files) console.log(`${String(bytes).padStart(8)}  ${file}`);
  console.log(`${String(all).padStart(8)}  in all, compressed`);
  console.log(`${String(script).padStart(8)}  of it JavaScript; the limit is ${LIMIT}`);
  if (script > LIMIT) process.exitCode = 1;
}
