import { createServer } from 'node:http';

/** Answers every request with the bytes of the last message: the cost of the runtime alone. */
let answer: { headers: Record<string, string>; body: Buffer } = { headers: {}, body: Buffer.alloc(0) };
process.on('message', ({ headers, body }: { headers: Record<string, string>; body: string }) => {
  answer = { headers, body: Buffer.from(body, 'latin1') };
  process.send?.('set');
});
// Keep connections as long as the service does, so that none closes while the other server has its turn.
const server = createServer({ keepAliveTimeout: 72_000 }, (request, response) => {
  // Consume the body, as any server has to.
  request.resume();
  response.writeHead(200, answer.headers);
  response.end(answer.body);
}).listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
});
