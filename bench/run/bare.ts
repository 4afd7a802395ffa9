import { createServer } from 'node:http';

/** Answers every request with the bytes that it was given last: what the runtime alone costs. */
let answer: { headers: Record<string, string>; body: Buffer } = { headers: {}, body: Buffer.alloc(0) };
process.on('message', ({ headers, body }: { headers: Record<string, string>; body: string }) => {
  answer = { headers, body: Buffer.from(body, 'latin1') };
  process.send?.('set');
});
// A connection is kept as long as the service keeps one, so that none is lost while the other takes its turn.
const server = createServer({ keepAliveTimeout: 72_000 }, (request, response) => {
  // A body is taken in, as it must be.
  request.resume();
  response.writeHead(200, answer.headers);
  response.end(answer.body);
}).listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
});
