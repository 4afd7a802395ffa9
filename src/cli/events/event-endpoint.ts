import { findEndpoint, listEndpoints } from '../../app/events/endpoints.ts';
import { toDatetime } from '../../domain/datetime.ts';
import { define, group } from '../define.ts';
import { orFail } from '../failure.ts';
import { OWNER, opening } from '../open.ts';
import { answer } from '../output.ts';
import { table } from '../table.ts';
import { create, update } from './endpoint-values.ts';
import {
  endpointWords,
  NAMED,
  presentEndpoint,
  productsOf,
  secretLines,
  typesOf,
  whenSent,
} from './endpoint-words.ts';
import { deliveries, redeliver } from './event-deliveries.ts';

const list = define({
  name: 'list',
  description: 'List event endpoints, newest first',
  examples: {
    'All endpoints': 'latchkey event-endpoint list',
    'Those that fail, in a script':
      "latchkey event-endpoint list --json | jq '.event_endpoints[] | select(.failures > 0) | .id'",
  },
  action: ({ run }) =>
    opening(run, async ({ store }) => {
      const endpoints = await listEndpoints(store.read, OWNER);
      answer(run, { event_endpoints: endpoints.map(presentEndpoint) }, () =>
        endpoints.length === 0
          ? 'No event endpoints.'
          : table(endpoints, {
              ID: 'id',
              KIND: 'kind',
              STATE: 'state',
              TYPES: typesOf,
              PRODUCTS: productsOf,
              EVENTS: 'lastSeq',
              FAILURES: 'failures',
              'LAST SUCCESS (UTC)': 'lastSuccessAt',
              ADDRESS: 'url',
              DESCRIPTION: 'description',
            }),
      );
    }),
});

const show = define({
  name: 'show',
  description: 'Show an event endpoint',
  argument: NAMED,
  examples: { 'By its id': 'latchkey event-endpoint show 1' },
  action: ({ run }, named) =>
    opening(run, async ({ store }) => {
      const endpoint = orFail(await findEndpoint(store.read, named, OWNER));
      answer(run, presentEndpoint(endpoint), () => endpointWords(endpoint));
    }),
});

const remove = define({
  name: 'delete',
  description: 'Delete an event endpoint and its deliveries; to keep them, disable it',
  argument: NAMED,
  examples: { 'By its id': 'latchkey event-endpoint delete 1' },
  action: ({ run }, named) =>
    opening(run, async ({ execute, store }) => {
      const { id } = orFail(await findEndpoint(store.read, named, OWNER));
      orFail(await execute('delete-event-endpoint', { named }, OWNER));
      answer(run, { id, deleted: true }, () => `Deleted event endpoint ${id}.`);
    }),
});

const rotate = define({
  name: 'rotate-secret',
  description:
    'Replace the secret of a webhook; the old one also signs for another 24 hours, an older one stops now',
  argument: NAMED,
  examples: {
    'A new secret': 'latchkey event-endpoint rotate-secret 1',
    'A secret that has leaked must stop at once':
      'latchkey event-endpoint rotate-secret 1 && latchkey event-endpoint rotate-secret 1',
  },
  action: ({ run }, named) =>
    opening(run, async ({ execute }) => {
      const { endpoint, secret } = orFail(await execute('rotate-event-secret', { named }, OWNER));
      answer(run, { ...presentEndpoint(endpoint), secret }, () => [
        `Event endpoint ${endpoint.id} has a new secret, which is shown only once:`,
        ...['', ...secretLines(String(secret), endpoint.publicKey), ''],
        `The old secret signs, too, until ${endpoint.oldSecretUntil} UTC.`,
      ]);
    }),
});

const test = define({
  name: 'test',
  description: 'Send a test event to an endpoint; a running server sends it',
  argument: NAMED,
  examples: {
    'Then see what the receiver has answered':
      'latchkey event-endpoint test 1 && sleep 5 && latchkey event-endpoint deliveries 1 --limit 1',
  },
  action: ({ run }, named) =>
    opening(run, async ({ execute, store, clock }) => {
      const found = orFail(await findEndpoint(store.read, named, OWNER));
      const { id, kind } = found;
      orFail(await execute('send-test-event', { named }, OWNER));
      const whatNext =
        kind === 'poll'
          ? 'its events have one more.'
          : `a running server sends it ${whenSent(found, toDatetime(clock()))}`;
      answer(run, { id, sent: true }, () => `Made a test event for event endpoint ${id}: ${whatNext}`);
    }),
});

export const eventEndpointCommands = group(
  'event-endpoint',
  'Send events to other systems (webhooks), or let them fetch events',
  [list, show, create, update, remove, rotate, test, deliveries, redeliver],
);
