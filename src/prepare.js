import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// This file sets the runtime up before the program is loaded. It is JavaScript because loading the first TypeScript file
// loads the compiler, which takes 30 MiB of memory, including that of the writer thread.

// Keep the space for new objects at its first size. V8 would let it grow to 16 MiB, and buffers of uploads and downloads
// are only freed when it is collected. npm's scripts set it to 8 MiB before V8 starts. docs/decisions/0009 has the reasons.
const flags = [...process.execArgv, process.env.NODE_OPTIONS ?? ''];
if (!flags.some((flag) => flag.includes('--max-semi-space-size'))) {
  setFlagsFromString('--semi-space-growth-factor=1');
}

// From source, cache the compiled code between starts. Not in the shared folder for temporary files, where anybody could
// put code.
if (import.meta.url.endsWith('/src/prepare.js')) {
  const cache = fileURLToPath(new URL('../node_modules/.cache/latchkey', import.meta.url));
  // Threads read the variable.
  process.env.NODE_COMPILE_CACHE ||= cache;
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
}
await import('./main.ts');
