import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createServer } from 'vite';

/**
 * The server and the console, both from their source: the server starts anew when a file of it changes, pages change in
 * the browser as they are. Ctrl-C ends both. The server is where its settings say, or on port 3000.
 */

const HERE = import.meta.dirname;
const port = process.env.LATCHKEY_PORT ?? '3000';
process.env.LATCHKEY_DEV_SERVER ??= `http://127.0.0.1:${port}`;

const server = spawn(process.execPath, ['--watch', join(HERE, '../src/start.js'), 'serve'], {
  stdio: 'inherit',
});
const vite = await createServer({ configFile: join(HERE, 'vite.config.ts') });
await vite.listen();
console.log(`\nThe console, as its source is: ${vite.resolvedUrls?.local[0]}\n`);

let isEnding = false;
async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  server.kill('SIGTERM');
  await vite.close();
}
process.on('SIGINT', end).on('SIGTERM', end);
server.on('exit', (code) => {
  process.exitCode = code ?? 0;
  void end();
});
