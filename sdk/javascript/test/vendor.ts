import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Latchkey } from '../src/client.ts';
import { deviceKeyIn } from '../src/device-key.ts';
import type { Options } from '../src/options.ts';
import { memoryStorage } from '../src/storage.ts';
import { hash, lease, type Members, NOW, ROOTS } from './kit.ts';

// A vendor's server on a real socket, which can be made to fail and to lie, and a device with its own clock.

/** A request: the last part of its path, its body and its headers. */
export interface Asked {
  operation: string;
  body: Members;
  headers: IncomingMessage['headers'];
}
type Answering = (asked: Asked, response: ServerResponse) => void;

export const send = (response: ServerResponse, status: number, type: string, body: string): void =>
  void response.writeHead(status, { 'content-type': type }).end(body);

export const problem =
  (status: number, code: string, more: Members = {}): Answering =>
  (_, response) =>
    send(
      response,
      status,
      'application/problem+json; charset=utf-8',
      JSON.stringify({ status, code, ...more }),
    );

export async function startVendor(t: { after(stop: () => void): void }) {
  const vendor = {
    url: '',
    /** The server's time, in seconds. */
    now: NOW,
    /** Claims added to each lease. */
    terms: {} as Members,
    asked: [] as Asked[],
    /** Answers instead of the server, if it is set. */
    instead: null as Answering | null,
    /** Answers as the server does. */
    honest,
    /** Restores the initial state of the server. */
    reset() {
      tokens = 0;
      Object.assign(vendor, { now: NOW, terms: {}, asked: [], instead: null });
    },
  };
  let bound: Members = {};
  /** Activation tokens issued since the last reset. */
  let tokens = 0;

  function honest({ operation, body }: Asked, response: ServerResponse): void {
    if (operation === 'deactivate') return void response.writeHead(204).end();
    const { fingerprint, device_key: x } = body;
    if (operation === 'activate')
      bound = { fp: hash(String(fingerprint)), ...(x !== undefined && { cnf: { x } }) };
    const iat = vendor.now;
    const times = { iat, ref: iat + 86_400, exp: iat + 14 * 86_400, grc: iat + 21 * 86_400 };
    const answer = {
      activation: { id: 41, ...(operation === 'activate' && { token: `token-${++tokens}` }) },
      lease: lease({ ...bound, ...times, ...vendor.terms, n: body.nonce }),
    };
    send(response, 200, 'application/json; charset=utf-8', JSON.stringify(answer));
  }

  const server = createServer(async (request, response) => {
    const operation = String(request.url).split('/').at(-1) ?? '';
    const body = request.method === 'POST' && request.headers['content-type'] ? await json(request) : {};
    const asked = { operation, body: body as Members, headers: request.headers };
    vendor.asked.push(asked);
    (vendor.instead ?? honest)(asked, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  vendor.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return vendor;
}
export type Vendor = Awaited<ReturnType<typeof startVendor>>;

/** Creates a device with a storage, a device key and a clock. */
export function makeDevice(vendor: Pick<Vendor, 'url'>, options: Partial<Options> = {}) {
  const { storage = memoryStorage() } = options;
  const keyStorage = memoryStorage();
  const device = {
    storage,
    keyStorage,
    /** The clock of the device, in seconds. */
    clock: NOW,
    /** Starts the program. */
    start: (more: Partial<Options> = {}) =>
      new Latchkey({
        url: vendor.url,
        roots: ROOTS,
        storage,
        deviceKey: deviceKeyIn(keyStorage),
        now: () => device.clock * 1_000,
        random: () => 0.5,
        ...options,
        ...more,
      }),
    state: async () => JSON.parse((await storage.load()) ?? '{}'),
  };
  return device;
}

export type Device = ReturnType<typeof makeDevice>;

/** Creates a device, and activates it. */
export async function activated(vendor: Vendor, options: Partial<Options> = {}) {
  const device = makeDevice(vendor, options);
  const latchkey = device.start();
  const { state } = await latchkey.activate('ACME-0001', { label: 'Laptop' });
  if (state !== 'licensed') throw new Error(state);
  return { device, latchkey };
}

/** Closes the connection, as if the server were off the network. */
export const killed: Answering = (_, response) => void response.socket?.destroy();
