import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'vite';

/**
 * The server and the console, both from their source: the server starts anew when a file of it changes, pages change in
 * the browser as they are. Ctrl-C ends both. The server is where its settings say, or on port 8080.
 */

const SRC = join(import.meta.dirname, '../src');
/** Milliseconds: an editor may write several files, each in steps. */
const SETTLED_MS = 200;

const vite = await createServer({ configFile: join(import.meta.dirname, 'vite.config.ts') });
await vite.listen();
console.log(`\nThe console, as its source is: ${vite.resolvedUrls?.local[0]}\n`);

/** In a group of its own: else Ctrl-C would reach it, too, and our signal be its second, at which it ends at once. */
const start = (): ChildProcess =>
  spawn(process.execPath, [join(SRC, 'start.js'), 'serve'], { stdio: 'inherit', detached: true });

let server = start();
let isEnding = false;

async function stopServer(): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  server.kill('SIGTERM');
  await once(server, 'exit');
}

// Not `node --watch`: it sends word of what is imported through the channel of the writer thread.
let restarting: Promise<void> = Promise.resolve();
let timer: NodeJS.Timeout | undefined;
const watcher = watch(SRC, { recursive: true }, () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    restarting = restarting.then(async () => {
      await stopServer();
      if (!isEnding) server = start();
    });
  }, SETTLED_MS);
});

async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  clearTimeout(timer);
  watcher.close();
  await restarting;
  await Promise.all([stopServer(), vite.close()]);
  process.exit();
}
process.on('SIGINT', end).on('SIGTERM', end);
