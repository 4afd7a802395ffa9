import { execFileSync } from 'node:child_process';
import { copyFile, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'rolldown';

/** `npm run sdk:build` makes sdk/javascript/dist/, which `npm pack` ships, and prints the size for browsers. */

const HERE = import.meta.dirname;
const TSC = join(HERE, '../../node_modules/typescript/bin/tsc');
/** Bytes with gzip: what a browser loads, all of it. */
export const SIZE_MAX = 12_000;

const INPUT = { external: isBuiltin, platform: 'neutral', logLevel: 'warn' } as const;

/** Bundles the modules into a folder. They share what they have in common. */
export async function bundleSdk(folder: string): Promise<void> {
  await build({
    ...INPUT,
    input: {
      index: join(HERE, 'src/index.ts'),
      node: join(HERE, 'src/node/index.ts'),
      electron: join(HERE, 'src/electron/index.ts'),
    },
    output: { dir: folder, chunkFileNames: '[name]-[hash].js' },
  });
}

/** Writes the types into a folder. */
export function writeTypes(folder: string): void {
  execFileSync(process.execPath, [TSC, '-p', join(HERE, 'tsconfig.build.json'), '--outDir', folder], {
    stdio: 'inherit',
  });
}

/** The size of everything that the entry for browsers has, minified, in bytes with gzip. */
export async function sizeOfSdk(): Promise<number> {
  const { output } = await build({
    ...INPUT,
    input: join(HERE, 'src/index.ts'),
    output: { minify: true },
    write: false,
  });
  return output.reduce(
    (sum, part) => sum + gzipSync(part.type === 'chunk' ? part.code : part.source).length,
    0,
  );
}

if (import.meta.main) {
  const dist = join(HERE, 'dist');
  await rm(dist, { recursive: true, force: true });
  await bundleSdk(dist);
  writeTypes(dist);
  await copyFile(join(HERE, '../../LICENSE'), join(dist, 'LICENSE'));
  const size = await sizeOfSdk();
  process.stdout.write(`A browser loads ${size} bytes (gzip); the limit is ${SIZE_MAX}.\n`);
  if (size > SIZE_MAX) process.exitCode = 1;
}
