import type { Static } from 'typebox';
import type { EndpointWithSecret } from '../../app/events/new-endpoint.ts';
import type { Datetime } from '../../domain/datetime.ts';
import { laterAttemptAt } from '../../domain/events/delivery.ts';
import { eventIdOf } from '../../domain/events/event.ts';
import type { DeliveryOfEvent } from '../../store/store.ts';
import { presenter } from '../presenter.ts';
import { EventDelivery, EventEndpoint, EventEndpointWithSecret } from './event-schemas.ts';

export const presentEndpoint = presenter(EventEndpoint);

const presentWithSecret = presenter(EventEndpointWithSecret);
export const presentEndpointWithSecret = ({ endpoint, secret }: EndpointWithSecret) =>
  presentWithSecret({ ...endpoint, secret });

const presentDeliveryFields = presenter(EventDelivery);
export const presentDelivery = (
  endpoint: Parameters<typeof laterAttemptAt>[0],
  { delivery, event }: DeliveryOfEvent,
  now: Datetime,
): Static<typeof EventDelivery> =>
  presentDeliveryFields({
    ...delivery,
    ...{ eventId: eventIdOf(event), type: event.type, object: event.object, objectId: event.objectId },
    ...{ at: event.at, dueAt: laterAttemptAt(endpoint, delivery, now) },
  });
