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
    client.on('data', (data) => {
      isMeant ||= options.silences?.test(data.toString('latin1')) ?? false;
      if (!isSwallowed()) onward.write(data);
    });
    onward.on('data', (data) => {
      if (!isSwallowed()) client.write(data);
    });
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
    switchTo(port) {
      target = port;
      cut();
    },
  };
  return proxy;
}
