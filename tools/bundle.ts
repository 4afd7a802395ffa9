import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type InputOptions, type OutputOptions } from 'rolldown';
import { noticesOf } from './licenses.ts';

/**
 * Bundles src/ and all packages that it needs into a program that starts in a third of the time of its source. The npm
 * package and the executable hold this bundle.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Bundles the program for tests. @returns the file that starts it */
export const bundleForTests = (): Promise<string> => bundleProgram(join(ROOT, 'dist-test'));

/** Packages that Fastify and its plugins import, and that the program never calls: each start would parse them. */
const NEVER_CALLED = [
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  'glob',
  'light-my-request',
];
const INPUT: InputOptions = {
  platform: 'node',
  external: (id) => isBuiltin(id),
  // Rolldown would remove a call that is made only to see whether it throws, like that of `decodeURIComponent` in `isUtf8`.
  treeshake: false,
  resolve: { alias: Object.fromEntries(NEVER_CALLED.map((name) => [name, false])) },
  logLevel: 'warn',
};
const OUTPUT: OutputOptions = { minify: false };

/**
 * Bundles the program into a folder, and replaces an earlier bundle there.
 * @returns the file that starts it
 */
export async function bundleProgram(dist: string): Promise<string> {
  await mkdir(dist, { recursive: true });
  const made = await mkdtemp(join(dist, '.program-'));
  const program = join(made, 'program');
  const built = await Promise.all([
    build({
      ...INPUT,
      input: { prepare: join(ROOT, 'src/prepare.js') },
      output: { ...OUTPUT, dir: program, chunkFileNames: '[name]-[hash].js' },
    }),
    // One file, which a thread can load from memory.
    build({
      ...INPUT,
      input: join(ROOT, 'src/installation/writer-thread.ts'),
      output: { ...OUTPUT, file: join(program, 'writer-thread.js'), codeSplitting: false },
    }),
  ]);
  const chunks = built.flatMap(({ output }) => output).filter((part) => part.type === 'chunk');
  const names = new Set(chunks.map(({ fileName }) => fileName));
  for (const name of chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]))
    if (!names.has(name) && !isBuiltin(name)) throw new Error(`the bundle lacks ${name}`);
  await writeFile(join(program, 'licenses.txt'), noticesOf(chunks.flatMap(({ moduleIds }) => moduleIds)));
  // start.js is not bundled: it checks the version of Node.js before it imports anything.
  const start = await readFile(join(ROOT, 'src/start.js'), 'utf8');
  await writeFile(join(made, 'start.js'), start.replace('./prepare.js', './program/prepare.js'));
  if (!ENTRIES.every((name) => isSame(join(made, name), join(dist, name)))) {
    for (const name of ['program', 'start.js']) {
      await rm(join(dist, name), { recursive: true, force: true });
      await rename(join(made, name), join(dist, name));
    }
  }
  await rm(made, { recursive: true });
  return join(dist, 'start.js');
}

/** These files name what they load by its hash: if they are unchanged, so is the rest. Another run may be using it. */
const ENTRIES = ['start.js', 'program/prepare.js', 'program/writer-thread.js', 'program/licenses.txt'];
const isSame = (made: string, old: string): boolean =>
  existsSync(old) && readFileSync(made).equals(readFileSync(old));
