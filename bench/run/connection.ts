import { connect, type Socket } from 'node:net';

/** A request as it goes over the wire. */
export type Request = string;

const LENGTH = /\r\ncontent-length: (\d+)/i;
/** What is read goes through here, for all connections: each takes out what it needs at once. */
const arrived = Buffer.alloc(256 * 1024);

/** One connection of HTTP/1.1, one request at a time, with as little work as there can be: it is not what is measured. */
export class Connection {
  /** Called with each answer: its status, and all of it from the first line on. */
  onAnswer: (status: number, text: string) => void = () => {};
  onBroken: (error: Error) => void = () => {};
  readonly #socket: Socket;
  #text = '';
  /** Bytes of the answer that are still to come, once its head has. */
  #missing = 0;

  private constructor(
    port: number,
    opened: (connection: Connection) => void,
    failed: (error: Error) => void,
  ) {
    this.onBroken = failed;
    const callback = (bytes: number) => this.#take(bytes);
    this.#socket = connect({ port, host: '127.0.0.1', onread: { buffer: arrived, callback } });
    this.#socket.setNoDelay().once('connect', () => opened(this));
    this.#socket.on('error', (error) => this.onBroken(error));
    this.#socket.on('close', () => this.onBroken(new Error('the server closed the connection')));
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => void new Connection(port, resolve, reject));
  }

  send(request: Request): void {
    this.#socket.write(request, 'latin1');
  }

  close(): void {
    this.onBroken = () => {};
    this.#socket.destroy();
  }

  #take(bytes: number): boolean {
    this.#text += arrived.toString('latin1', 0, bytes);
    if (this.#missing > 0) this.#missing -= bytes;
    else {
      const headEnd = this.#text.indexOf('\r\n\r\n');
      if (headEnd < 0) return true;
      const length = LENGTH.exec(this.#text);
      if (!length || length.index > headEnd)
        throw new Error(`an answer without its length: ${this.#text.slice(0, headEnd)}`);
      this.#missing = headEnd + 4 + Number(length[1]) - this.#text.length;
    }
    if (this.#missing > 0) return true;
    const text = this.#text;
    this.#text = '';
    this.onAnswer(Number(text.slice(9, 12)), text);
    return true;
  }
}

export async function openConnections(port: number, count: number): Promise<Connection[]> {
  return Promise.all(Array.from({ length: count }, () => Connection.open(port)));
}

/** One request by itself. */
export async function ask(port: number, request: Request): Promise<{ status: number; text: string }> {
  const connection = await Connection.open(port);
  try {
    return await new Promise((resolve, reject) => {
      connection.onAnswer = (status, text) => resolve({ status, text });
      connection.onBroken = reject;
      connection.send(request);
    });
  } finally {
    connection.close();
  }
}
