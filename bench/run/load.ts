import { connect, type Socket } from 'node:net';

/** A request as it goes over the wire. */
export type Request = string;

export interface Measured {
  requests: number;
  /** Answers other than 2xx. */
  failed: number;
  seconds: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

/** Sends requests over some connections, each the next when the one before is answered, for some seconds. */
export async function load(
  port: number,
  connections: number,
  seconds: number,
  next: () => Request | null,
  onBody?: (body: string, request: Request) => void,
): Promise<Measured> {
  const times: number[] = [];
  let failed = 0;
  const clients = await Promise.all(Array.from({ length: connections }, () => Client.open(port)));
  const start = performance.now();
  const end = start + seconds * 1_000;
  await Promise.all(
    clients.map(async (client) => {
      for (let now = start; now < end; ) {
        const request = next();
        if (request === null) return;
        const sent = performance.now();
        const { status, body } = await client.ask(request);
        now = performance.now();
        times.push(now - sent);
        if (status < 200 || status > 299) failed++;
        else onBody?.(body, request);
      }
    }),
  );
  const took = (performance.now() - start) / 1_000;
  for (const client of clients) client.close();
  times.sort((a, b) => a - b);
  const at = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
  return { requests: times.length, failed, seconds: took, p50: at(0.5), p99: at(0.99) };
}

interface Answer {
  status: number;
  head: string;
  body: string;
}

/** One connection, with as little work for each answer as there can be: it must not be what is measured. */
export class Client {
  readonly #socket: Socket;
  #got = '';
  #answered: ((answer: Answer) => void) | null = null;
  #broken: ((error: Error) => void) | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1').setNoDelay();
    socket.on('data', (data: string) => {
      this.#got = this.#got === '' ? data : this.#got + data;
      this.#take();
    });
    const fail = (error?: Error) => this.#broken?.(error ?? new Error('the server closed the connection'));
    socket.on('error', fail).on('close', () => fail());
  }

  static open(port: number): Promise<Client> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Client(socket)));
      socket.once('error', reject);
    });
  }

  ask(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#broken = reject;
      this.#socket.write(request, 'latin1');
    });
  }

  close(): void {
    this.#broken = null;
    this.#socket.destroy();
  }

  #take(): void {
    const got = this.#got;
    const headEnd = got.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(got);
    if (!length || length.index > headEnd)
      throw new Error(`an answer without its length: ${got.slice(0, headEnd)}`);
    const end = headEnd + 4 + Number(length[1]);
    if (got.length < end) return;
    this.#got = got.slice(end);
    this.#answered?.({
      status: Number(got.slice(9, 12)),
      head: got.slice(0, headEnd),
      body: got.slice(headEnd + 4, end),
    });
  }
}
