import type { Static } from 'typebox';
import type { EndpointWithSecret } from '../../app/events/endpoints.ts';
import type { ListedDelivery } from '../../app/events/reading.ts';
import { eventIdOf } from '../../domain/events/event.ts';
import { presenter } from '../presenter.ts';
import { EventDelivery, EventEndpoint, EventEndpointWithSecret } from './event-schemas.ts';

export const presentEndpoint = presenter(EventEndpoint);

const presentWithSecret = presenter(EventEndpointWithSecret);
export const presentEndpointWithSecret = ({ endpoint, secret }: EndpointWithSecret) =>
  presentWithSecret({ ...endpoint, secret });

const presentDeliveryFields = presenter(EventDelivery);
export const presentDelivery = ({ delivery, event, nextAt }: ListedDelivery): Static<typeof EventDelivery> =>
  presentDeliveryFields({
    ...delivery,
    eventId: eventIdOf(event),
    type: event.type,
    object: event.object,
    objectId: event.objectId,
    at: event.at,
    dueAt: nextAt,
  });
