import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api, type Item, type Query } from '../../../client/api.ts';

export type Activation = Item<'listActivations'>;

export const activationsQuery = (query: Query<'listActivations'>) =>
  queryOptions({
    queryKey: ['activations', 'list', query],
    queryFn: ({ signal }) => answer(api.GET('/activations', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const licenseActivationsQuery = (licenseId: number, before?: number) =>
  queryOptions({
    queryKey: ['activations', 'of', licenseId, before],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/licenses/{license_id}/activations', {
          params: { path: { license_id: licenseId }, query: { before } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

const path = (id: number) => ({ params: { path: { activation_id: id } } });

export const deactivate = (id: number) =>
  answer(api.POST('/activations/{activation_id}/deactivate', path(id)));
export const reactivate = (id: number) =>
  answer(api.POST('/activations/{activation_id}/reactivate', path(id)));
/** Extends a seat. @param borrowHours how long to borrow the seat; 0 extends it by its usual time */
export const extend = (id: number, borrowHours = 0) =>
  answer(
    api.POST('/activations/{activation_id}/extend', { ...path(id), body: { borrow_hours: borrowHours } }),
  );
export const deleteActivation = (id: number) => answer(api.DELETE('/activations/{activation_id}', path(id)));

/** Activates a license for a device. The answer has the token. */
export const activateByHand = (license_id: number, label: string) =>
  answer(
    api.POST('/licenses/{license_id}/activations', { params: { path: { license_id } }, body: { label } }),
  );
