import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

/**
 * `npm run build` bundles src/ into dist/: the program, which starts in a third of the time of its source. Most packages
 * stay outside: npm installs them.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** What every start loads of many files: half the time of a start goes into finding them. */
const INLINED = /^(commander|csv-parse|csv-stringify|kysely|typebox)(\/|$)/;

/**
 * Tests start the program hundreds of times, so theirs contains all packages except those that are large and rarely loaded.
 */
const OUTSIDE_OF_TESTS = /^@aws-sdk(\/|$)/;

/** Bundles the program for tests. @returns the file that starts it */
export const bundleForTests = (): Promise<string> =>
  bundleProgram(join(ROOT, 'dist-test'), (id) => !OUTSIDE_OF_TESTS.test(id));

/**
 * Bundles the program into a folder of the package, in place of what was there.
 * @param isInlined whether the bundle contains a package
 * @returns the file that starts it
 */
export async function bundleProgram(
  dist = join(ROOT, 'dist'),
  isInlined = (id: string): boolean => INLINED.test(id),
): Promise<string> {
  await mkdir(dist, { recursive: true });
  const made = await mkdtemp(join(dist, '.program-'));
  await build({
    input: {
      'program/prepare': join(ROOT, 'src/prepare.js'),
      // Beside the module that starts the thread.
      'program/writer-thread': join(ROOT, 'src/installation/writer-thread.ts'),
    },
    platform: 'node',
    external: (id) => /^[^./]/.test(id) && (isBuiltin(id) || !isInlined(id)),
    // Rolldown would remove a call that is made only to see whether it throws, like that of `decodeURIComponent` in `isUtf8`.
    treeshake: false,
    logLevel: 'warn',
    output: { dir: made, minify: false, chunkFileNames: 'program/[name]-[hash].js' },
  });
  // As it is, because it checks the version of Node.js before it imports anything.
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

/** They name what they load by its hash: where they are the same, so is the rest. Another run may be using it. */
const ENTRIES = ['start.js', 'program/prepare.js', 'program/writer-thread.js'];
const isSame = (made: string, old: string): boolean =>
  existsSync(old) && readFileSync(made).equals(readFileSync(old));

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleProgram();
