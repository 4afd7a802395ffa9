import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Record_ } from './api.ts';

export interface WireAnswer {
  status: number;
  /** By lower-case name. A repeated name has its last value. */
  headers: Map<string, string>;
  body: string;
  json(): Record_;
}

/** A connection on which a test writes exact bytes and reads the answers. */
export class Wire {
  readonly #socket: Socket;
  /** Chunks, joined only as far as they are read: joining all at each arrival would take quadratic time. */
  readonly #received: Buffer[] = [];
  #ended = false;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (data: Buffer) => {
      this.#received.push(data);
      this.#wake();
    });
    const end = () => {
      this.#ended = true;
      this.#wake();
    };
    // A server that refuses early may reset the connection while the rest is being written.
    socket.on('end', end).on('error', end).on('close', end);
  }

  static async open(port: number): Promise<Wire> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Wire(socket);
  }

  /** Strings are sent as UTF-8. */
  write(bytes: string | Buffer): this {
    this.#socket.write(bytes);
    return this;
  }

  /** Stops reading from the connection, or resumes. */
  hold(held: boolean): void {
    if (held) this.#socket.pause();
    else this.#socket.resume();
  }

  /** Reads the next answer. `head`: to a HEAD request, whose answer has no body. */
  async answer({ head = false } = {}): Promise<WireAnswer> {
    const top = (await this.#until('\r\n\r\n')).toString('latin1');
    const [statusLine = '', ...lines] = top.trimEnd().split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1]);
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
    );
    const body = head || status === 100 || status === 204 ? '' : await this.#body(headers);
    return { status, headers, body, json: () => JSON.parse(body) };
  }

  /** Waits until the server closes the connection. @returns whether everything that it sent has been read */
  async closed(): Promise<boolean> {
    while (!this.#ended) await this.#more();
    return this.#received.every(({ length }) => length === 0);
  }

  close(): void {
    this.#socket.destroy();
  }

  async #body(headers: Map<string, string>): Promise<string> {
    const length = headers.get('content-length');
    if (length !== undefined) return (await this.#take(Number(length))).toString('utf8');
    if (headers.get('transfer-encoding') !== 'chunked') return '';
    const parts: Buffer[] = [];
    for (;;) {
      const size = Number.parseInt((await this.#until('\r\n')).toString('latin1'), 16);
      const chunk = await this.#take(size + 2);
      if (size === 0) return Buffer.concat(parts).toString('utf8');
      parts.push(chunk.subarray(0, size));
    }
  }

  async #until(mark: string): Promise<Buffer> {
    for (;;) {
      const at = this.#received[0]?.indexOf(mark) ?? -1;
      if (at >= 0) return this.#take(at + mark.length);
      if (this.#received.length > 1) this.#received.unshift(Buffer.concat(this.#received.splice(0, 2)));
      else await this.#more();
    }
  }

  async #take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = length; missing > 0; ) {
      while (this.#received.length === 0) await this.#more();
      const part = this.#received.shift() as Buffer;
      parts.push(part.subarray(0, missing));
      if (part.length > missing) this.#received.unshift(part.subarray(missing));
      missing -= part.length;
    }
    return Buffer.concat(parts, length);
  }

  #more(): Promise<void> {
    if (this.#ended)
      throw new Error(
        `the connection ended after ${JSON.stringify(Buffer.concat(this.#received).toString())}`,
      );
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** Sends one request, byte for byte, on its own connection, and reads the answer. */
export async function exchange(
  port: number,
  bytes: string | Buffer,
  options?: { head?: boolean },
): Promise<WireAnswer> {
  const wire = await Wire.open(port);
  try {
    return await wire.write(bytes).answer(options);
  } finally {
    wire.close();
  }
}
