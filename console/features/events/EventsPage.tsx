import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { Plus, Webhook } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { healthOf } from '../../ui/events/endpoint-health.ts';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { useAddressAction } from '../../ui/forms/use-address-action.ts';
import { AnchorLink } from '../../ui/links.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { ProductNumbers } from '../../ui/products/ProductNumber.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { asPage } from '../../ui/table/as-page.ts';
import { type Column, listColumns } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { EndpointForm } from './EndpointForm.tsx';
import { MadeSecret } from './MadeSecret.tsx';
import { endpointsQuery, type ListedEndpoint, type MadeEndpoint } from './queries.ts';
import { WeekBars } from './WeekBars.tsx';
import { HEALTH_TONES, shortError, titleOf, typesText } from './words.ts';

const route = getRouteApi('/shell/events');

export function EventsPage() {
  const { t } = useTranslation('events');
  const query = useQuery({ ...endpointsQuery, select: asPage });
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<MadeEndpoint | null>(null);
  useAddressAction(route.useSearch(), 'create', true, () => setCreating(true));
  const columns = useMemo(() => columnsOf(t), [t]);
  const create = (
    <Button leftSection={<Plus size={16} />} onClick={() => setCreating(true)}>
      {t('create')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} actions={create} />
      <DataTable
        name="events"
        label={t('title')}
        columns={columns}
        query={query}
        rowTo={({ id }) => `/events/${id}`}
        empty={
          <EmptyState title={t('empty')} action={create} icon={Webhook}>
            {t('emptyNext')}
          </EmptyState>
        }
      />
      {isCreating && (
        <EndpointForm
          endpoint={null}
          onClose={() => setCreating(false)}
          onMade={(one) => one.secret !== null && setMade(one)}
        />
      )}
      <MadeSecret made={made} title={t('secret.made')} onClose={() => setMade(null)} />
    </>
  );
}

const columnsOf = (t: TFunction<'events'>): Column<ListedEndpoint>[] =>
  listColumns((id) => t(`column.${id}`), {
    endpoint: {
      cell: (endpoint) => (
        <div style={{ minWidth: 160, overflowWrap: 'anywhere' }}>
          <AnchorLink to="/events/$id" params={{ id: String(endpoint.id) }} size="sm" fw={600}>
            {titleOf(t, endpoint)}
          </AnchorLink>
          <Text size="xs" c="dimmed">
            {endpoint.url === null ? t('kind.poll') : endpoint.description && endpoint.url}
          </Text>
        </div>
      ),
    },
    state: {
      cell: (endpoint) => {
        const health = healthOf(endpoint);
        return <StatusBadge tone={HEALTH_TONES[health]}>{t(`health.${health}`)}</StatusBadge>;
      },
    },
    events: { cell: ({ types }) => typesText(t, types) },
    products: {
      cell: ({ products }) => (products ? <ProductNumbers ids={products} /> : t('all')),
      isHidden: true,
    },
    week: { cell: ({ kind, days }) => (kind === 'poll' ? '–' : <WeekBars days={days} />) },
    lastSuccess: {
      cell: ({ kind, last_success_at }) =>
        kind === 'poll' ? '–' : last_success_at ? <Time value={last_success_at} isRelative /> : t('never'),
      isWide: true,
    },
    lastError: {
      cell: ({ last_error, last_failure_at }) =>
        last_error === null ? (
          '–'
        ) : (
          <div>
            <Text size="sm" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
              {shortError(t, last_error)}
            </Text>
            <Text size="xs" c="dimmed" component="div">
              <Time value={last_failure_at} isRelative />
            </Text>
          </div>
        ),
    },
    created: { cell: ({ created_at }) => <Time value={created_at} />, isHidden: true },
  });
