import { Agent, type IncomingHttpHeaders, request as sendRequest } from 'node:http';

/** One request as it goes over the wire. */
export interface Sent {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer | null;
  /** Announces more bytes than are sent, so that the server answers before the body ends. */
  announced: number | null;
  /** Uses its own connection. */
  isAlone: boolean;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Every header line as it arrived: name, value. */
  lines: readonly (readonly [name: string, value: string])[];
  bytes: Buffer;
  /** The parsed body, or `null` if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the recorder checks answers by their bytes
  body: any;
}

/** Sends requests one after the other to a server on a port of this machine. */
export function createConnection(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  function send({ method, path, headers, body, announced, isAlone }: Sent): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const length = announced ?? body?.length;
      const request = sendRequest({
        host: '127.0.0.1',
        port,
        method,
        path,
        agent: announced === null && !isAlone ? agent : false,
        headers: { ...headers, ...(length !== undefined && { 'content-length': length }) },
      });
      request.on('error', reject);
      request.on('response', (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          if (announced !== null) request.destroy();
          const bytes = Buffer.concat(parts);
          const { rawHeaders } = response;
          const lines = rawHeaders.flatMap((name, i): [string, string][] =>
            i % 2 === 0 ? [[name.toLowerCase(), rawHeaders[i + 1] ?? '']] : [],
          );
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            lines,
            bytes,
            body: parsed(bytes),
          });
        });
      });
      if (body) request.write(body);
      if (announced === null) request.end();
    });
  }
  return { send, close: () => agent.destroy() };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}
