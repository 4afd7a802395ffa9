import { Button, Group, Text, Title, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { RotateCcw } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { healthOf } from '../../ui/events/endpoint-health.ts';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { doneToast, errorToast } from '../../ui/feedback/toasts.tsx';
import { formatNumber, formatRelative } from '../../ui/format.ts';
import { Select } from '../../ui/forms/choices.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { type Column, listColumns } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { DeliveryDrawer } from './DeliveryDrawer.tsx';
import { DELIVERY_STATES } from './delivery-states.ts';
import {
  type DeliveriesSearch,
  type Delivery,
  deliveriesQuery,
  type Endpoint,
  type EndpointDetails,
  endpointsQuery,
  useUpdateEndpoint,
} from './queries.ts';
import { RedeliverRange } from './RedeliverRange.tsx';
import { useRedelivery } from './use-redelivery.ts';
import { answerText, DELIVERY_TONES, isReachable, nextText } from './words.ts';

const route = getRouteApi('/shell/events/$id');
const TEST_EVENT = 'endpoint.test';

type Row = Delivery & { id: number };

/** Lists the deliveries of a webhook, or the events of a polled endpoint. */
export function Deliveries({ details }: { details: EndpointDetails }) {
  const { t } = useTranslation('events');
  const { endpoint, pending, failed, counted_max } = details;
  const isWebhook = endpoint.kind === 'webhook';
  const search = route.useSearch();
  const query = useQuery({ ...deliveriesQuery(endpoint.id, search), select: withIds });
  const [opened, setOpened] = useState<number | null>(null);
  const [isRange, setRange] = useState(false);
  const redelivery = useRedelivery(endpoint.id);
  const update = useUpdateEndpoint(endpoint.id);
  // Enabling sends waiting events at once. `EndpointAdvice` has this button if the receiver keeps failing.
  const sendWaiting = () =>
    update.mutate(
      { is_enabled: true },
      { onSuccess: () => doneToast(t('enable.sending')), onError: errorToast },
    );
  const columns = useMemo(() => columnsOf(t, endpoint, setOpened), [t, endpoint]);
  const isFiltered = search.state !== undefined || search.type !== undefined;
  const title = t(isWebhook ? 'deliveries.title' : 'deliveries.titleOfPoll');
  const counted = (count: number) => formatNumber(count) + (count === counted_max ? '+' : '');
  return (
    <section aria-label={title}>
      <Group justify="space-between" mb="xs" gap="xs">
        <div>
          <Title order={2}>{title}</Title>
          {isWebhook && (
            <Text size="sm" c="dimmed">
              {t('deliveries.backlog', { pending: counted(pending), failed: counted(failed) })}
            </Text>
          )}
        </div>
        {isReachable(endpoint) && (
          <Group gap="xs">
            {healthOf(endpoint) === 'enabled' && pending > 0 && (
              <Button size="xs" variant="default" loading={update.isPending} onClick={sendWaiting}>
                {t('enable.now')}
              </Button>
            )}
            <Button
              size="xs"
              variant="default"
              leftSection={<RotateCcw size={16} />}
              disabled={failed === 0}
              loading={redelivery.isPending}
              onClick={() => void redelivery.sendFailed()}
            >
              {t('redeliver.failed')}
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={endpoint.last_seq === 0}
              onClick={() => setRange(true)}
            >
              {t('redeliver.range')}
            </Button>
          </Group>
        )}
      </Group>
      <Filters search={search} isWebhook={isWebhook} />
      <DataTable
        name="deliveries"
        label={title}
        columns={columns}
        query={query}
        empty={
          <EmptyState title={t('deliveries.empty')}>
            {t(isFiltered ? 'deliveries.emptyFiltered' : 'deliveries.emptyNext')}
          </EmptyState>
        }
      />
      <DeliveryDrawer endpoint={endpoint} seq={opened} onClose={() => setOpened(null)} />
      {isRange && <RedeliverRange endpoint={endpoint} onClose={() => setRange(false)} />}
    </section>
  );
}

const withIds = <Page extends { items: Delivery[] }>(page: Page) => ({
  ...page,
  items: page.items.map((one): Row => ({ ...one, id: one.seq })),
});

interface FiltersProps {
  search: DeliveriesSearch;
  isWebhook: boolean;
}

function Filters({ search, isWebhook }: FiltersProps) {
  const { t } = useTranslation('events');
  const navigate = route.useNavigate();
  const { data } = useQuery(endpointsQuery);
  const go = (changes: DeliveriesSearch) =>
    navigate({ search: { ...search, before: undefined, ...changes } });
  const { state, type } = search;
  return (
    <FilterBar label={t('deliveries.filter')}>
      {isWebhook && (
        <Select
          label={t('deliveries.column.state')}
          placeholder={t('deliveries.anyState')}
          data={DELIVERY_STATES.filter((one) => one !== 'kept').map((value) => ({
            value,
            label: t(`deliveries.state.${value}`),
          }))}
          value={state ?? null}
          onChange={(value) => void go({ state: DELIVERY_STATES.find((one) => one === value) })}
          w={{ base: '100%', xs: 180 }}
        />
      )}
      <Select
        label={t('deliveries.column.type')}
        placeholder={t('deliveries.anyType')}
        data={[...(data?.types ?? []), TEST_EVENT]}
        value={type ?? null}
        onChange={(value) => void go({ type: (value ?? undefined) as DeliveriesSearch['type'] })}
        searchable
        w={{ base: '100%', xs: 220 }}
      />
      {(state !== undefined || type !== undefined) && (
        <Button variant="subtle" onClick={() => void navigate({ search: {} })}>
          {t('deliveries.clear')}
        </Button>
      )}
    </FilterBar>
  );
}

const columnsOf = (t: TFunction<'events'>, endpoint: Endpoint, open: (seq: number) => void): Column<Row>[] =>
  listColumns(
    (id) => t(`deliveries.column.${id}`),
    {
      type: {
        cell: ({ seq, type }) => (
          <UnstyledButton
            onClick={() => open(seq)}
            c="var(--mantine-color-anchor)"
            ff="monospace"
            fz="sm"
            py={4}
            aria-label={t('delivery.title', { seq, type })}
          >
            {type}
          </UnstyledButton>
        ),
      },
      seq: { align: 'end', cell: ({ seq }) => formatNumber(seq) },
      at: { cell: ({ at }) => <Time value={at} /> },
      state: {
        cell: ({ state }) => (
          <StatusBadge tone={DELIVERY_TONES[state]}>{t(`deliveries.state.${state}`)}</StatusBadge>
        ),
      },
      attempts: { align: 'end', cell: ({ attempts }) => formatNumber(attempts) },
      answer: {
        cell: (delivery) => (
          <Text span size="sm" miw={80} lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
            {answerText(t, delivery)}
          </Text>
        ),
      },
      next: { cell: (delivery) => nextText(t, endpoint, delivery, formatRelative) },
      ms: { align: 'end', cell: ({ ms }) => durationText(ms), isHidden: true },
    },
    endpoint.kind === 'webhook' ? [] : ['state', 'attempts', 'answer', 'next', 'ms'],
  );

/** Formats milliseconds: '120 ms'. */
const durationText = (ms: number | null): string =>
  ms === null ? '–' : formatNumber(ms, { style: 'unit', unit: 'millisecond' });
