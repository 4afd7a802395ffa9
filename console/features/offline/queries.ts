import { type Answer, answer, api } from '../../client/api.ts';

/** The content of a request or receipt, with the records that it names. */
export type OfflineText = Answer<'readOfflineText'>;
export type Leased = Answer<'activateOffline'>;

export const readText = (text: string) => answer(api.POST('/offline/read', { body: { text } }));
export const activate = (request: string) => answer(api.POST('/offline/activate', { body: { request } }));
export const deactivate = (receipt: string) => answer(api.POST('/offline/deactivate', { body: { receipt } }));
