import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A proxy in front of a database server that passes bytes on, as a load balancer does. */
export interface TcpProxy {
  port: number;
  /** Sends new connections to another port, and closes the existing ones. */
  switchTo(port: number): void;
  /**
   * Whether connections that have sent a match of `options.silences` lose all bytes, in both directions, and stay open.
   */
  silent: boolean;
  /** Milliseconds by which all bytes are delayed, in both directions. */
  delay: number;
  /** Whether the proxy holds back what a client has sent, because of `options.holds`. */
  isHolding: boolean;
  /** Passes on the bytes that are held back, and everything after them. */
  release(): void;
}

export async function startTcpProxy(
  t: TestContext,
  port: number,
  options: {
    silences?: RegExp;
    /** Returns whether to hold back these bytes of a client, and those after them, until `release`. */
    holds?: (sent: string) => boolean;
    /** Number of connections that work. Later ones stay open, and lose all bytes. */
    works?: number;
  } = {},
): Promise<TcpProxy> {
  const clients = new Set<Socket>();
  let target = port;
  const held: (() => void)[] = [];
  let isReleased = false;
  let opened = 0;
  const server = createServer((client) => {
    clients.add(client);
    const onward = connect(target, '127.0.0.1');
    let isMeant = false;
    let isLost = ++opened > (options.works ?? Number.POSITIVE_INFINITY);
    const isSwallowed = () => {
      isLost ||= isMeant && proxy.silent;
      return isLost;
    };
    const pass = (data: string | Buffer, to: Socket) => {
      if (isSwallowed()) return;
      // The order stays the same, because all bytes are delayed equally.
      if (proxy.delay > 0) setTimeout(() => to.write(data), proxy.delay);
      else to.write(data);
    };
    client.on('data', (data) => {
      const sent = data.toString('latin1');
      isMeant ||= options.silences?.test(sent) ?? false;
      if (!isReleased) proxy.isHolding ||= options.holds?.(sent) ?? false;
      if (proxy.isHolding) held.push(() => pass(data, onward));
      else pass(data, onward);
    });
    onward.on('data', (data) => pass(data, client));
    onward.on('close', () => isSwallowed() || client.destroy());
    client.on('close', () => {
      clients.delete(client);
      onward.destroy();
    });
    for (const socket of [client, onward]) socket.setNoDelay().on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const client of clients) client.destroy();
  };
  t.after(() => {
    server.close();
    cut();
  });
  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    silent: false,
    delay: 0,
    isHolding: false,
    release() {
      isReleased = true;
      proxy.isHolding = false;
      for (const pass of held.splice(0)) pass();
    },
    switchTo(port) {
      target = port;
      cut();
    },
  };
  return proxy;
}
