import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface WireServer {
  port: number;
  /** The token of the link that sets up the console. `null` once the console is set up. */
  setupToken: string | null;
  stop(): Promise<void>;
}

const nodeOf = (checkout: string): string => join(checkout, 'node_modules/.bin/node');

/** Builds the console of a checkout if it is not built yet. */
export function buildConsole(checkout: string): void {
  execFileSync(nodeOf(checkout), ['console/build.ts', '--if-missing'], { cwd: checkout, stdio: 'ignore' });
}

/** Starts the server of a checkout in its own process, on a free port. */
export async function startServer(
  checkout: string,
  settings: Record<string, string>,
  program = 'src/start.js',
): Promise<WireServer> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('LATCHKEY_'));
  const child: ChildProcess = spawn(nodeOf(checkout), [program, 'serve'], {
    cwd: checkout,
    env: { ...Object.fromEntries(own), LATCHKEY_PORT: '0', LATCHKEY_LOG_LEVEL: 'error', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  let output = '';
  const port = await new Promise<number>((resolve, reject) => {
    const read = (data: Buffer) => {
      output += data;
      const found =
        /listening on http:\/\/[^\s:]+:(\d+)[\s\S]*(?:Set up the console[\s\S]*setup#\S+\n|Console {2,}\S+\n)/.exec(
          output,
        )?.[1];
      if (found) resolve(Number(found));
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${output}`)));
  });
  return {
    port,
    setupToken: /setup#([\w-]+)/.exec(output)?.[1] ?? null,
    async stop() {
      process.removeListener('exit', kill);
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
      child.kill('SIGTERM');
      await ended;
    },
  };
}
