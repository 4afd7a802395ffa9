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
export type Weather = 'good' | 'gone' | 'silent' | keyof typeof ANSWERS;

export interface Front {
  origin: string;
  weather: Weather;
  /** Method and path of each request. */
  requests: string[];
  close(): void;
}

/** A server on a free port that passes requests on to another one, or fails as its weather says. */
export async function startFront(port: number): Promise<Front> {
  const server = createServer((incoming, answer) => {
    const { weather } = front;
    const { method, url: path, headers } = incoming;
    front.requests.push(`${method} ${path}`);
    if (weather === 'silent') return;
    if (weather === 'gone') return void incoming.destroy();
    if (weather !== 'good') {
      const [status, body] = ANSWERS[weather];
      return void answer.writeHead(status, { 'retry-after': '1' }).end(body);
    }
    const passed = request({ port, method, path, headers, agent: false }, (got) => {
      answer.writeHead(got.statusCode as number, got.headers);
      got.pipe(answer);
    });
    incoming.pipe(passed);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const front: Front = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    weather: 'good',
    requests: [],
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return front;
}
