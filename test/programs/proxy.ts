import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

const ANSWERS = {
  busy: [503, '{"code":"server_error","message":"The service is busy.","data":{"status":503}}'],
  portal: [200, '<!doctype html><title>Sign in to this Wi-Fi</title>'],
  'other JSON': [404, '[]'],
  'no route': [404, '{"code":"rest_no_route","message":"No route was found.","data":{"status":404}}'],
  unauthenticated: [401, '{"code":"authentication_error","message":"No.","data":{"status":401}}'],
} as const;

/** How a server looks to a program: as it is, gone, busy, silent, or with something else in its place. */
export type Mode = 'good' | 'gone' | 'silent' | keyof typeof ANSWERS;

export interface FaultyProxy {
  origin: string;
  mode: Mode;
  /** Method and path of each request. */
  requests: string[];
  close(): void;
}

/** A server on a free port that passes requests on to another one, or fails as its mode says. */
export async function startProxy(port: number): Promise<FaultyProxy> {
  const server = createServer((incoming, answer) => {
    const { mode } = proxy;
    const { method, url: path, headers } = incoming;
    proxy.requests.push(`${method} ${path}`);
    if (mode === 'silent') return;
    if (mode === 'gone') return void incoming.destroy();
    if (mode !== 'good') {
      const [status, body] = ANSWERS[mode];
      return void answer.writeHead(status, { 'retry-after': '1' }).end(body);
    }
    const passed = request({ port, method, path, headers, agent: false }, (got) => {
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
