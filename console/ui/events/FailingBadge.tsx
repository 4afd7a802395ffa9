import { Badge, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { failingEndpointsQuery } from './endpoint-health.ts';

/** Shows the number of event endpoints that need attention, beside the navigation entry. */
export function FailingBadge() {
  const { t } = useTranslation('shell');
  const count = useQuery(failingEndpointsQuery).data?.items.length ?? 0;
  if (count === 0) return null;
  return (
    <Badge color="red" variant="light" size="sm" ms="auto" circle={count < 10}>
      <span aria-hidden>{count}</span>
      <VisuallyHidden>{t('endpoints', { count })}</VisuallyHidden>
    </Badge>
  );
}
