import { enableCompileCache } from 'node:module';
import { isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { ENVIRONMENT, FLAGS } from './runtime.js';

// Sets up the runtime before the program is loaded. This file is JavaScript because loading the first TypeScript file loads
// the compiler, which takes 30 MiB of memory, including the writer thread's copy.

const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ''];
const isGiven = (flag) => given.some((one) => one.includes(flag.split('=')[0]));

// Flags and variables take effect only if they are set before V8 starts. So the server starts once more, in the same
// process, which takes 30 ms. Workers inherit the settings of their primary process. Windows cannot do this.
const missing = FLAGS.filter((flag) => !isGiven(flag));
const isComplete = missing.length === 0 && Object.keys(ENVIRONMENT).every((name) => name in process.env);
if (process.argv.includes('serve') && !isComplete && process.platform !== 'win32') {
  const args = isSea() ? process.argv.slice(2) : [...process.execArgv, ...process.argv.slice(1)];
  const NODE_OPTIONS = [...missing, process.env.NODE_OPTIONS].join(' ').trim();
  process.execve(process.execPath, [process.execPath, ...args], {
    ...ENVIRONMENT,
    ...process.env,
    NODE_OPTIONS,
  });
}

// Keep the space for new objects at its initial size. V8 would let it grow to 16 MiB, and the buffers of uploads and
// downloads are freed only when this space is collected.
if (!isGiven('--max-semi-space-size')) setFlagsFromString('--semi-space-growth-factor=1');

// From source, cache the compiled code between starts. Not in the shared folder for temporary files, where anybody could
// put code.
if (import.meta.url.endsWith('/src/prepare.js')) {
  const cache = fileURLToPath(new URL('../node_modules/.cache/latchkey', import.meta.url));
  // Threads read the variable.
  process.env.NODE_COMPILE_CACHE ||= cache;
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
}
await import('./main.ts');
