import { connect, type Socket } from 'node:net';

/** A request as sent over the wire. */
export type Request = string;

const LENGTH = /\r\ncontent-length: (\d+)/i;
/** The read buffer of all connections. Each consumes what it reads at once. */
const arrived = Buffer.alloc(256 * 1024);

/** An HTTP/1.1 connection for one request at a time. It does as little work as possible: it is not what is measured. */
export class Connection {
  /** Called with each answer: its status, and its text including the head. */
  onAnswer: (status: number, text: string) => void = () => {};
  onBroken: (error: Error) => void = () => {};
  readonly #socket: Socket;
  #text = '';
  /** Bytes of the answer still missing, once its head has arrived. */
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
        throw new Error(`an answer without content-length: ${this.#text.slice(0, headEnd)}`);
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

/** Sends one request on a connection of its own. */
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
