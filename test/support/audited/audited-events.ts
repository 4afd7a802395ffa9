import type { Running } from '../service.ts';
import { actor, audited, type Changes } from './audited.ts';

const values = {
  kind: null,
  url: 'https://example.com/hooks',
  description: null,
  types: null,
  products: null,
  isOrdered: null,
  headers: null,
  isEnabled: null,
};

/** Returns changes by the commands of event endpoints. */
export function eventChanges(api: Pick<Running, 'service'>): Changes {
  const { must } = audited(api);
  const newEndpoint = async () => {
    const { endpoint } = await must(api.service.execute('create-event-endpoint', { values }, actor));
    return { named: String(endpoint.id) };
  };
  return {
    'create-event-endpoint': [['event_endpoint.create'], () => ({ values })],
    'update-event-endpoint': [
      ['event_endpoint.update'],
      async () => ({ ...(await newEndpoint()), changes: { isEnabled: false } }),
    ],
    'rotate-event-secret': [['event_endpoint.rotate_secret'], newEndpoint],
    'delete-event-endpoint': [['event_endpoint.delete'], newEndpoint],
  };
}
