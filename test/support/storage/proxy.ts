import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface After {
  after(stop: () => void): void;
}

/** Starts an HTTP server on a free port. @returns its address */
export async function listen(t: After, answer: (req: IncomingMessage, res: ServerResponse) => void) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts a proxy in front of a server. `meddle` runs first, and returns true if it has answered the request itself. */
export function before(
  t: After,
  server: string,
  meddle: (req: IncomingMessage, res: ServerResponse) => boolean | Promise<boolean>,
): Promise<string> {
  return listen(t, async (req, res) => {
    if (await meddle(req, res)) return;
    const { method, headers, url } = req;
    const onward = request(server + url, { method: method as string, headers }, (answer) => {
      res.writeHead(answer.statusCode as number, answer.headers);
      answer.pipe(res);
    });
    req.pipe(onward);
  });
}
