import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

interface Received {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
  from: Socket;
}
/** Answers a request on its connection; false leaves the answer to the receiver. */
type Answer = (from: Socket, path: string) => boolean;

/**
 * Starts a receiver of webhooks on all addresses of this machine. It answers "thanks" to requests that `answer` leaves
 * to it.
 */
export async function startReceiver(t: { after(stop: () => void): void }, answer: Answer = () => false) {
  const seen: Received[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers, socket } = request;
    seen.push({ method, url, headers, body: await text(request), from: socket });
    if (!answer(socket, url ?? '')) response.end('thanks');
  });
  await once(server.listen(0), 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, seen };
}
