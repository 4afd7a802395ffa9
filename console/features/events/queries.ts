import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { refetch } from '../../app/query-client.ts';
import { type Answer, answer, api, type Body, type Item, ifMatch, type Query } from '../../client/api.ts';
import { useAction } from '../../ui/actions/use-action.ts';
import { useSaveMerged } from '../../ui/forms/conflicts.tsx';

export type ListedEndpoint = Item<'listEventEndpoints'>;
export type EventType = Answer<'listEventEndpoints'>['types'][number];
export type EndpointDetails = Answer<'getEventEndpoint'>;
export type Endpoint = EndpointDetails['endpoint'];
export type Delivery = Item<'listEventDeliveries'>;
export type DeliveryDetails = Answer<'getEventDelivery'>;
/** A new endpoint, or one with a new secret. */
export type MadeEndpoint = Answer<'createEventEndpoint'>;
/** The request body. Null removes a value, or lifts a restriction. */
export type EndpointInput = Body<'createEventEndpoint'> & Body<'updateEventEndpoint'>;

export type DeliveriesSearch = Pick<Query<'listEventDeliveries'>, 'state' | 'type'> & { before?: number };

/** The refetch interval in milliseconds, because deliveries continue while the page is open. */
const REFETCH_MS = 5_000;

const path = (id: number) => ({ params: { path: { id } } });

export const endpointsQuery = queryOptions({
  queryKey: ['events', 'list'],
  queryFn: ({ signal }) => answer(api.GET('/event-endpoints', { signal })),
});

export const endpointQuery = (id: number) =>
  queryOptions({
    queryKey: ['events', 'one', id],
    queryFn: ({ signal }) => answer(api.GET('/event-endpoints/{id}', { ...path(id), signal })),
    refetchInterval: REFETCH_MS,
  });

export const deliveriesQuery = (id: number, query: DeliveriesSearch) =>
  queryOptions({
    queryKey: ['events', 'deliveries', id, query],
    queryFn: ({ signal }) =>
      answer(api.GET('/event-endpoints/{id}/deliveries', { params: { path: { id }, query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  });

export const deliveryQuery = (id: number, seq: number) =>
  queryOptions({
    queryKey: ['events', 'delivery', id, seq],
    queryFn: ({ signal }) =>
      answer(api.GET('/event-endpoints/{id}/deliveries/{seq}', { params: { path: { id, seq } }, signal })),
    refetchInterval: REFETCH_MS,
  });

/** A mutation that refetches endpoints and deliveries. */
function useChange<Input, Result>(change: (input: Input) => Promise<Result>) {
  return useAction({
    mutationFn: change,
    onSuccess: () => refetch(['events']),
  });
}

export const useCreateEndpoint = () =>
  useChange((body: EndpointInput) => answer(api.POST('/event-endpoints', { body })));
export const useUpdateEndpoint = (id: number) =>
  useChange((body: EndpointInput) => answer(api.PATCH('/event-endpoints/{id}', { ...path(id), body })));
/** Returns a mutation that saves the form of an endpoint. It resolves to null if the user went back to the form. */
export function useSaveEndpoint(endpoint: Endpoint | null) {
  const id = endpoint?.id ?? 0;
  const saveMerged = useSaveMerged<Endpoint>({
    kind: 'event_endpoint',
    record: endpoint,
    load: async () => (await answer(api.GET('/event-endpoints/{id}', path(id)))).endpoint,
    send: (body, etag) =>
      answer(api.PATCH('/event-endpoints/{id}', { ...path(id), body, headers: ifMatch(etag) })),
  });
  return useChange((changes: EndpointInput) => saveMerged(changes));
}
export const useDeleteEndpoint = (id: number) =>
  useChange(() => answer(api.DELETE('/event-endpoints/{id}', path(id))));
export const useRotateSecret = (id: number) =>
  useChange(() => answer(api.POST('/event-endpoints/{id}/rotate-secret', path(id))));
export const useSendTest = (id: number) =>
  useChange(() => answer(api.POST('/event-endpoints/{id}/test', path(id))));
export const useRedeliver = (id: number) =>
  useChange((body: { seq?: number; from?: number; to?: number; failed?: true }) =>
    answer(api.POST('/event-endpoints/{id}/redeliver', { ...path(id), body })),
  );
