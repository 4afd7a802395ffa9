import {
  type Created,
  flag,
  integer,
  MAX_REFERENCE,
  oneOf,
  optional,
  reference,
  required,
} from '../fields.ts';
import { done, invalid, type Outcome } from '../refusal.ts';
import { DELIVERY_STATES } from './delivery.ts';
import { ALL_EVENT_TYPES } from './event.ts';

const seqField = (description: string) => integer({ min: 1, max: MAX_REFERENCE, description });

/** Maximum number of events in one answer. Each may have 20 kB. */
const READ_MAX = 250;
const READ_BY_DEFAULT = 100;
/** Maximum number of seconds that a reader may wait, below the usual timeouts of proxies. */
const WAIT_MAX = 30;

/** The parameters for reading events. */
export const eventsShape = {
  endpoint: required(reference('Id of the event endpoint')),
  after: optional(
    integer({ max: MAX_REFERENCE, description: 'Only events with a higher seq; 0, for all, when not sent' }),
  ),
  limit: optional(
    integer({ min: 1, max: READ_MAX, description: `Events in the answer; ${READ_BY_DEFAULT} when not sent` }),
  ),
  wait: optional(
    integer({ max: WAIT_MAX, description: 'Seconds to wait for an event if there is none; 0 when not sent' }),
  ),
};
export const EVENTS_DEFAULTS = { after: 0, limit: READ_BY_DEFAULT, wait: 0 };

/** The filter of a list of deliveries. */
export const deliveryFilterShape = {
  state: optional(oneOf(DELIVERY_STATES, 'Only deliveries in this state')),
  type: optional(oneOf(ALL_EVENT_TYPES, 'Only deliveries of events of this type')),
};

/** The parameters of a redelivery of one event, a range, or all failed deliveries. */
export const redeliveryShape = {
  seq: optional(seqField('The only one to send again')),
  from: optional(seqField('The first one to send again')),
  to: optional(seqField('The last one to send again')),
  failed: optional(flag),
};

export function redeliveryOf({
  seq,
  from,
  to,
  failed,
}: Created<typeof redeliveryShape>): Outcome<{ from: number; to: number } | 'failed'> {
  const isRange = from !== null || to !== null;
  if ([seq !== null, isRange, failed === true].filter(Boolean).length !== 1)
    return invalid('seq', 'one_redelivery');
  if (failed) return done('failed');
  if (seq !== null) return done({ from: seq, to: seq });
  if (from === null || to === null) return invalid(from === null ? 'from' : 'to', 'required');
  return to < from ? invalid('to', 'before_from') : done({ from, to });
}
