import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client } from './load.ts';

const MAIN = fileURLToPath(new URL('../../src/start.js', import.meta.url));
const BARE = fileURLToPath(new URL('./bare.ts', import.meta.url));

export interface Server {
  port: number;
  pid: number;
  /** Milliseconds from its start until it answered. */
  startedIn: number;
  stop(): Promise<void>;
}

const stopper = (child: ChildProcess) => async () => {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
};

/** The service as it is shipped: a process of its own, its access log written (to nowhere). */
export async function startService(env: Record<string, string>): Promise<Server> {
  const begun = performance.now();
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    env: { PATH: process.env.PATH, ...env, LATCHKEY_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<number>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (data) => {
      if (output.length > 100_000) return;
      output += data;
      const found = /listening on http:\/\/[^:]+:(\d+)/.exec(output)?.[1];
      if (found) resolve(Number(found));
    });
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}: ${output}`)));
  });
  const startedIn = performance.now() - begun;
  return { port, pid: child.pid as number, startedIn, stop: stopper(child) };
}

export interface BareServer extends Server {
  /** From now on it answers what the service answers to this request. */
  imitate(service: Server, request: string): Promise<void>;
}

export async function startBare(): Promise<BareServer> {
  const child = fork(BARE);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    port,
    pid: child.pid as number,
    startedIn: 0,
    stop: stopper(child),
    async imitate(service, request) {
      const client = await Client.open(service.port);
      const { status, head, body } = await client.ask(request);
      client.close();
      if (status > 299) throw new Error(`${request.split('\r\n')[0]} is answered ${status}: ${body}`);
      const lines = head.split('\r\n').slice(1);
      const headers = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      // Node.js sets these by itself.
      for (const name of ['date', 'connection', 'keep-alive', 'Date', 'Connection', 'Keep-Alive'])
        delete headers[name];
      child.send({ headers, body });
      await once(child, 'message');
    },
  };
}
