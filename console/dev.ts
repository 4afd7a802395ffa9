import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'vite';

/**
 * Runs the server and the console from source. The server restarts when its files change, pages update in the browser.
 * Ctrl-C stops both. The server listens where its settings say, by default on port 8080.
 */

const SRC = join(import.meta.dirname, '../src');
/** Milliseconds to wait for further changes, because editors write files in several steps. */
const SETTLED_MS = 200;

const vite = await createServer({ configFile: join(import.meta.dirname, 'vite.config.ts') });
await vite.listen();
console.log(`\nConsole from source: ${vite.resolvedUrls?.local[0]}\n`);

/**
 * Starts the server in its own process group. Otherwise Ctrl-C would reach it too, and our SIGTERM would be the second
 * signal, on which the server exits at once.
 */
const start = (): ChildProcess =>
  spawn(process.execPath, [join(SRC, 'start.js'), 'serve'], { stdio: 'inherit', detached: true });

let server = start();
let isEnding = false;

async function stopServer(): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  server.kill('SIGTERM');
  await once(server, 'exit');
}

// Not `node --watch`: it sends messages over the channel of the writer thread.
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
