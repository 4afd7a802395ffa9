import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** Stands before a database server and passes bytes on, as a load balancer does. */
export interface TcpProxy {
  port: number;
  /** From now on connections go to another port; those of before are cut. */
  switchTo(port: number): void;
  /** Whether connections that have sent what `options.silences` finds lose all their bytes, both ways, and stay open. */
  silent: boolean;
  /** Milliseconds by which everything comes later, both ways. */
  delay: number;
}

export async function startTcpProxy(
  t: TestContext,
  port: number,
  options: { silences?: RegExp } = {},
): Promise<TcpProxy> {
  const clients = new Set<Socket>();
  let target = port;
  const server = createServer((client) => {
    clients.add(client);
    const onward = connect(target, '127.0.0.1');
    let isMeant = false;
    let isLost = false;
    const isSwallowed = () => {
      isLost ||= isMeant && proxy.silent;
      return isLost;
    };
    const pass = (data: string | Buffer, to: Socket) => {
      if (isSwallowed()) return;
      // In their order, for each of them waits as long.
      if (proxy.delay > 0) setTimeout(() => to.write(data), proxy.delay);
      else to.write(data);
    };
    client.on('data', (data) => {
      isMeant ||= options.silences?.test(data.toString('latin1')) ?? false;
      pass(data, onward);
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
    switchTo(port) {
      target = port;
      cut();
    },
  };
  return proxy;
}
