import type { Running } from '../service.ts';
import { actor, audited } from './audited.ts';

const NOTHING_CHOSEN = {
  kind: null,
  description: null,
  types: null,
  products: null,
  isOrdered: null,
  headers: null,
  isEnabled: null,
};

/** Returns changes by the commands of event endpoints, with the actions that each must record. */
export function eventChanges(
  api: Pick<Running, 'service'>,
): Record<string, [actions: string[], prepare: () => Promise<() => Promise<unknown>>]> {
  const { execute } = api.service;
  const { must } = audited(api);
  const create = () => {
    const values = { ...NOTHING_CHOSEN, url: 'https://example.com/hooks' };
    return execute('create-event-endpoint', { values }, actor);
  };
  const newEndpoint = async () => String((await must(create())).endpoint.id);
  return {
    'create-event-endpoint': [['event_endpoint.create'], async () => create],
    'update-event-endpoint': [
      ['event_endpoint.update'],
      async () => {
        const named = await newEndpoint();
        return () => execute('update-event-endpoint', { named, changes: { isEnabled: false } }, actor);
      },
    ],
    'rotate-event-secret': [
      ['event_endpoint.rotate_secret'],
      async () => {
        const named = await newEndpoint();
        return () => execute('rotate-event-secret', { named }, actor);
      },
    ],
    'delete-event-endpoint': [
      ['event_endpoint.delete'],
      async () => {
        const named = await newEndpoint();
        return () => execute('delete-event-endpoint', { named }, actor);
      },
    ],
  };
}
