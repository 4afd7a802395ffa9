import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/**
 * Builds the console into dist/console/, with brotli and gzip copies of each file. With `--if-missing`, only if there is
 * no build of the current source.
 */

const HERE = import.meta.dirname;
const ROOT = dirname(HERE);
const DIST = join(ROOT, 'dist');
const TARGET = join(DIST, 'console');
/** The file in the build that has the hash of its source. */
const STAMP = '.source';
const COMPRESSED = /\.(js|css|html|svg|json|md)$/;
/** The smallest file worth compressing, in bytes: smaller ones fit into one packet anyway. */
const WORTH_IT = 1000;

/** SHA-256 of everything that the build depends on. */
function hashOfSource(): string {
  const hash = createHash('sha256');
  const files = globSync('**/*', { cwd: HERE, withFileTypes: true, exclude: ['node_modules'] })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const file of [...files, join(ROOT, 'package-lock.json')].sort())
    hash.update(`${file.slice(ROOT.length)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

function isBuiltFrom(source: string): boolean {
  const stamp = join(TARGET, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === source;
}

async function compress(folder: string): Promise<void> {
  const files = await readdir(folder, { recursive: true });
  await Promise.all(
    files
      .filter((name) => COMPRESSED.test(name) && name !== 'index.html')
      .map(async (name) => {
        const file = join(folder, name);
        const bytes = await readFile(file);
        if (bytes.length < WORTH_IT) return;
        const params = {
          [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        };
        await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, { params }));
        await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
      }),
  );
}

/** Puts a new build in place by renaming, so that concurrent builds and servers never see a half-written one. */
async function putInPlace(made: string): Promise<void> {
  const old = `${made}.old`;
  await rename(TARGET, old).catch(ignoreMissing);
  // If the target exists again, a concurrent build of the same source came first.
  await rename(made, TARGET).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
  for (const folder of [made, old]) await rm(folder, { recursive: true, force: true });
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** Whether the build tools are installed. Without development dependencies the server runs without a console. */
function canBuild(): boolean {
  try {
    import.meta.resolve('vite');
    return true;
  } catch {
    return false;
  }
}

async function build(source: string): Promise<void> {
  // Import Vite here, because loading it is slow.
  const vite = await import('vite');
  await mkdir(DIST, { recursive: true });
  const made = await mkdtemp(join(DIST, '.console-'));
  process.on('exit', () => rmSync(made, { recursive: true, force: true }));
  await vite.build({
    configFile: join(HERE, 'vite.config.ts'),
    build: { outDir: made, emptyOutDir: true },
    logLevel: 'warn',
  });
  await compress(made);
  await writeFile(join(made, STAMP), source);
  // mkdtemp creates folders that only the owner can read.
  await chmod(made, 0o755);
  await putInPlace(made);
}

/** Builds the console. @param ifMissing whether to skip the build if there is one of the current source */
export async function buildConsole({ ifMissing }: { ifMissing: boolean }): Promise<void> {
  const source = hashOfSource();
  if (ifMissing && isBuiltFrom(source)) return;
  if (ifMissing && !canBuild()) {
    console.warn(
      'The console is not built, because its build tools are not installed (`npm ci`). The server runs without it.',
    );
    return;
  }
  const startedAt = performance.now();
  await build(source);
  console.log(`Built the console in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { 'if-missing': { type: 'boolean', default: false } } });
  await buildConsole({ ifMissing: values['if-missing'] });
}
