import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

const problem = (status: number, code: string): string =>
  JSON.stringify({ type: `/docs/#client-error-${code}`, title: 'No', status, code, detail: 'No.' });

const ANSWERS = {
  busy: [503, problem(503, 'unavailable')],
  'too many': [429, problem(429, 'rate_limited')],
  'no route': [404, problem(404, 'not_found')],
  portal: [200, '<!doctype html><title>Sign in to this Wi-Fi</title>'],
  'other JSON': [404, '[]'],
  'other object': [200, '{"status":"ok","license":null}'],
  'other login': [401, '{"code":401,"message":"Sign in to the proxy."}'],
} as const;

/**
 * How the server appears to a program: as it is, gone, busy, silent, or replaced by something else.
 * `lost`: the server processes the request, and its answer gets lost.
 */
export type Mode = 'good' | 'gone' | 'lost' | 'silent' | keyof typeof ANSWERS;

export interface FaultyProxy {
  origin: string;
  mode: Mode;
  /** Method and path of each request. */
  requests: string[];
  close(): void;
}

/** Starts a server on a free port that forwards requests, or fails as its mode says. */
export async function startProxy(port: number): Promise<FaultyProxy> {
  const server = createServer((incoming, answer) => {
    const { mode } = proxy;
    const { method, url: path, headers } = incoming;
    proxy.requests.push(`${method} ${path}`);
    if (mode === 'silent') return;
    if (mode === 'gone') return void incoming.destroy();
    if (mode !== 'good' && mode !== 'lost') {
      const [status, body] = ANSWERS[mode];
      return void answer.writeHead(status, { 'retry-after': '1' }).end(body);
    }
    const passed = request({ port, method, path, headers, agent: false }, (got) => {
      if (mode === 'lost') return void incoming.destroy();
      answer.writeHead(got.statusCode as number, got.headers);
      got.pipe(answer);
    });
    incoming.pipe(passed);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const proxy: FaultyProxy = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mode: 'good',
    requests: [],
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return proxy;
}
