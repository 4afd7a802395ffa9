import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// What must be said before anything large is loaded, so that the program comes after it. It is JavaScript because the
// first file of TypeScript loads the compiler, which stays in memory: 30 MiB with that of the writer thread.

// The space for new objects: V8 would let it grow to 16 MiB, and with it what the buffers of uploads and downloads take,
// which go only when that space is cleared. npm's scripts give it 8 MiB, which must be said before V8 starts; where nothing
// was said, it stays at its first size. docs/decisions/0009 has what else they say, and why.
const said = [...process.execArgv, process.env.NODE_OPTIONS ?? ''];
if (!said.some((flags) => flags.includes('--max-semi-space-size'))) {
  setFlagsFromString('--semi-space-growth-factor=1');
}

// From its source the program keeps what the compiler makes of it from one start to the next. Not in the folder for
// everybody's temporary files, where anybody could put code.
if (import.meta.url.endsWith('/src/prepare.js')) {
  const cache = fileURLToPath(new URL('../node_modules/.cache/latchkey', import.meta.url));
  // By its variable for the threads.
  process.env.NODE_COMPILE_CACHE ??= cache;
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
}
await import('./main.ts');
