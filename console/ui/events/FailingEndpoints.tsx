import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { AnchorLink } from '../links.tsx';
import { failingEndpointsQuery, healthOf, nameOf } from './endpoint-health.ts';

/** Names the event endpoints that need attention, with links; nothing if there are none. */
export function FailingEndpoints() {
  const { t } = useTranslation('events');
  const { data } = useQuery(failingEndpointsQuery);
  const items = data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <Alert
      color="red"
      variant="light"
      mb="md"
      icon={<TriangleAlert />}
      title={t('attention.title', { count: items.length })}
    >
      <ul style={{ margin: 0, paddingInlineStart: 18 }}>
        {items.map((endpoint) => {
          const health = healthOf(endpoint);
          return (
            <li key={endpoint.id} style={{ overflowWrap: 'anywhere' }}>
              <AnchorLink to="/events/$id" params={{ id: String(endpoint.id) }} size="sm" underline="always">
                {nameOf(endpoint) ?? t('untitled', { id: endpoint.id })}
              </AnchorLink>
              : {health === 'enabled' || health === 'disabled' ? '' : t(`attention.${health}`)}
            </li>
          );
        })}
      </ul>
    </Alert>
  );
}
