import { redeliver as sendAgain } from '../../app/events/deliveries.ts';
import { findEndpoint } from '../../app/events/endpoints.ts';
import { placeAllEvents } from '../../app/events/place-events.ts';
import { type ListedDelivery, listDeliveries } from '../../app/events/reading.ts';
import { toDatetime } from '../../domain/datetime.ts';
import { ALL_EVENT_TYPES, eventIdOf } from '../../domain/events/event.ts';
import { deliveryFilterShape, redeliveryOf, redeliveryShape } from '../../domain/events/parameters.ts';
import { snakeCased } from '../../domain/names.ts';
import { define, listNote } from '../define.ts';
import { orFail } from '../failure.ts';
import { flagsOf, LIMIT, newestFlags } from '../flags.ts';
import { OWNER, opening } from '../open.ts';
import { answer, answerNewest } from '../output.ts';
import { type Columns, counted } from '../table.ts';
import { NAMED, whenSent } from './endpoint-words.ts';

const presentDelivery = ({ delivery, event, nextAt: dueAt }: ListedDelivery) => {
  const { endpointId: _, eventId: _id, seq, dueAt: _due, ...values } = delivery;
  const { type, object, objectId, at } = event;
  return snakeCased({
    seq,
    eventId: eventIdOf(event),
    type,
    object,
    objectId,
    at,
    ...values,
    dueAt,
  });
};

const COLUMNS: Columns<ListedDelivery> = {
  SEQ: ({ delivery }) => delivery.seq,
  'AT (UTC)': ({ event }) => event.at,
  TYPE: ({ event }) => event.type,
  ABOUT: ({ event: { object, objectId } }) => (objectId === null ? object : `${object}:${objectId}`),
  STATE: ({ delivery }) => delivery.state,
  ATTEMPTS: ({ delivery }) => delivery.attempts,
  STATUS: ({ delivery }) => delivery.status,
  'NEXT (UTC)': 'nextAt',
  ERROR: ({ delivery }) => delivery.error,
};

export const deliveries = define({
  name: 'deliveries',
  description: 'List the deliveries of an event endpoint, newest first',
  argument: NAMED,
  flags: {
    ...flagsOf(deliveryFilterShape, {
      state: ['name', 'Only deliveries that are pending, delivered, failed, or kept to be fetched'],
      type: ['name', 'Only deliveries of events of this type'],
    }),
    ...newestFlags('deliveries', 'seq'),
  },
  notes: listNote('Types', ALL_EVENT_TYPES),
  examples: {
    'The newest': 'latchkey event-endpoint deliveries 1',
    'What the receiver answered to those that failed, in a script':
      "latchkey event-endpoint deliveries 1 --state failed --json | jq '.deliveries[] | {seq, status, answer}'",
  },
  action: ({ run, values: { limit, before, ...filter } }, named) =>
    opening(run, async ({ store, execute, clock }) => {
      await placeAllEvents(execute);
      const page = { before, limit: limit ?? LIMIT };
      const now = toDatetime(clock());
      const found = orFail(await listDeliveries(store.read, named, filter, page, OWNER, now));
      const { deliveries: items, next } = found;
      answerNewest(run, 'deliveries', { items, next }, presentDelivery, COLUMNS);
    }),
});

export const redeliver = define({
  name: 'redeliver',
  description: 'Send events to a webhook again; a running server sends them',
  argument: NAMED,
  flags: flagsOf(redeliveryShape, {
    seq: ['n', 'The only event to send again, by its seq'],
    from: ['n', 'First event of a range to send again'],
    to: ['n', 'Last event of the range'],
    failed: ['', 'All that have failed'],
  }),
  examples: {
    'After the receiver was down for longer than the server retries':
      'latchkey event-endpoint redeliver 1 --failed',
    'What a receiver has lost': 'latchkey event-endpoint redeliver 1 --from 4711 --to 4790',
  },
  async action({ run, values }, named) {
    const which = orFail(redeliveryOf(values));
    await opening(run, async ({ store, execute, clock }) => {
      const endpoint = orFail(await findEndpoint(store.read, named, OWNER));
      const redelivered = orFail(await sendAgain(store.read, execute, named, which, OWNER));
      answer(run, { redelivered }, () =>
        redelivered === 0
          ? `Nothing to send again. To send at once what waits: latchkey event-endpoint update ${named} --enabled yes`
          : `${counted(redelivered, 'event')} will be sent again ${whenSent(endpoint, toDatetime(clock()))}`,
      );
    });
  },
});
