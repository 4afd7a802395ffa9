import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Receives webhooks, in a separate process. By path: `/hang…` never answers, `/fail…` answers 500, others 200. Tells
 * the parent process its port and, on request, how many different events each path received.
 */
const seen = new Map<string, Set<string>>();
const server = createServer((request, response) => {
  const path = String(request.url);
  const ids = seen.get(path) ?? new Set();
  seen.set(path, ids);
  ids.add(String(request.headers['webhook-id']));
  request.resume();
  if (path.startsWith('/hang')) return;
  response.writeHead(path.startsWith('/fail') ? 500 : 200).end();
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () =>
  process.send?.({ counts: Object.fromEntries([...seen].map(([path, ids]) => [path, ids.size])) }),
);
process.on('disconnect', () => process.exit());
