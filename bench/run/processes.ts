import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ENVIRONMENT, PROGRAM } from '../../test/support/program.ts';
import { ask, type Request } from './connection.ts';

const BARE = fileURLToPath(new URL('./bare.ts', import.meta.url));
const LOOK_MS = 5;

export interface Server {
  port: number;
  pid: number;
  /** Milliseconds from the start of the process until it listened. */
  startedIn: number;
  stop(): Promise<void>;
}

/** The child processes, which must not outlive this one. */
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

function watched(child: ChildProcess): { pid: number; stop(): Promise<void> } {
  children.add(child);
  child.once('exit', () => children.delete(child));
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return { pid: child.pid as number, stop };
}

/**
 * Starts the service as shipped, as a separate process. Its access log goes to a file, so that no process spends time
 * reading it.
 * @param nodeFlags flags for Node.js, before the name of the program
 */
export async function startService(
  settings: Record<string, string>,
  log: string,
  nodeFlags: readonly string[] = [],
): Promise<Server> {
  const begun = performance.now();
  const output = openSync(log, 'w', 0o600);
  const child = spawn(process.execPath, [...nodeFlags, ...PROGRAM, 'serve'], {
    env: { PATH: process.env.PATH, ...ENVIRONMENT, ...settings, LATCHKEY_PORT: '0' },
    stdio: ['ignore', output, 'inherit'],
  });
  closeSync(output);
  const { pid, stop } = watched(child);
  for (;;) {
    const said = readFileSync(log, 'utf8');
    const port = /listening on http:\/\/[^:]+:(\d+)/.exec(said)?.[1];
    if (port) return { port: Number(port), pid, stop, startedIn: performance.now() - begun };
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}: ${said}`);
    await setTimeout(LOOK_MS);
  }
}

export interface BareServer extends Server {
  /** Makes the bare server answer what the service answers to this request. */
  imitate(service: Server, request: Request): Promise<void>;
}

export async function startBare(): Promise<BareServer> {
  const child = fork(BARE);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    ...watched(child),
    port,
    startedIn: 0,
    async imitate(service, request) {
      const { status, text } = await ask(service.port, request);
      if (status > 299) throw new Error(`${request.split('\r\n')[0]} was answered with ${text}`);
      const headEnd = text.indexOf('\r\n\r\n');
      const lines = text.slice(0, headEnd).split('\r\n').slice(1);
      const headers = Object.fromEntries(
        lines.map((line) => [
          line.slice(0, line.indexOf(':')).toLowerCase(),
          line.slice(line.indexOf(':') + 2),
        ]),
      );
      // Node.js sets these headers itself.
      for (const name of ['date', 'connection', 'keep-alive']) delete headers[name];
      child.send({ headers, body: text.slice(headEnd + 4) });
      await once(child, 'message');
    },
  };
}
