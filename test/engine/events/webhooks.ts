import type { Socket } from 'node:net';
import type { NewEndpoint } from '../../../src/domain/events/endpoint.ts';
import { actor, audited } from '../../support/audited/audited.ts';
import { delivered, newEndpoint } from '../../support/events.ts';
import type { Record_ } from '../../support/http/api.ts';
import { startReceiver } from '../../support/receiver.ts';
import { startService } from '../../support/service.ts';

/** The time at which each test begins. */
export const START = Date.parse('2031-05-01T10:00:00Z');

interface Hooks {
  after(stop: () => void | Promise<void>): void;
  beforeEach(reset: () => Promise<void>): void;
}

/** Starts a service and a receiver of its webhooks. Each test begins without endpoints, at the same time. */
export async function startWebhooks({ after, beforeEach }: Hooks) {
  const clock = { now: START };
  const api = await startService(
    { after },
    { clock: () => clock.now, storage: { webhookNetworks: ['127.0.0.0/8'] } },
  );
  const { execute, store } = api.service;
  const { must } = audited(api);

  /** The receiver's answer by path; 200 if none is set. */
  const answers = new Map<string, string>();
  /** Connections that wait for their answer, by path. */
  const holds = new Map<string, Socket[]>();
  const respond = (from: Socket, answer: string) =>
    from.end(`HTTP/1.1 ${answer}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  const receiver = await startReceiver({ after }, (from, path) => {
    const [answer, held] = [answers.get(path), holds.get(path)];
    if (held) held.push(from);
    else if (answer !== undefined) respond(from, answer);
    return held !== undefined || answer !== undefined;
  });
  const at = (path: string): string => `http://127.0.0.1:${receiver.port}${path}`;
  const received = (path: string): Record_[] =>
    receiver.seen.filter(({ url }) => url === path).map(({ body }) => JSON.parse(body));
  const seqsAt = (path: string): number[] => received(path).map(({ seq }) => seq);

  let made = 0;
  /** Creates a webhook with its own path, for the events of `license.created`. */
  async function webhook(values: Partial<NewEndpoint> = {}) {
    const path = `/${++made}`;
    const endpoint = await newEndpoint(api, { url: at(path), types: ['license.created'], ...values });
    const named = String(endpoint.id);
    return {
      ...endpoint,
      path,
      named,
      state: async () => must(Promise.resolve(await store.read.endpoints.find(endpoint.id))),
      delivery: async (seq: number) => (await store.read.deliveries.find(endpoint.id, seq, null))?.delivery,
      update: (changes: object) => must(execute('update-event-endpoint', { named, changes }, actor)),
    };
  }
  const send = () => delivered(api);
  const later = async (seconds: number): Promise<void> => {
    clock.now += seconds * 1_000;
    await send();
  };

  beforeEach(async () => {
    for (const { id } of await store.read.endpoints.list())
      await must(execute('delete-event-endpoint', { named: String(id) }, actor));
    answers.clear();
    holds.clear();
    clock.now = START;
  });
  return { api, clock, answers, holds, respond, receiver, at, received, seqsAt, webhook, send, later };
}
