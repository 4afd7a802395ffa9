import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { BookOpen, Plus } from 'lucide-react';
import { type ComponentProps, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import { BASE_PATH } from '../../client/base.ts';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { useAddressAction } from '../../ui/forms/use-address-action.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { ProductNumbers } from '../../ui/products/ProductNumber.tsx';
import { StatusBadge, type Tone } from '../../ui/StatusBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { asPage } from '../../ui/table/as-page.ts';
import { type Column, listColumns } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { ApiKeyForm } from './ApiKeyForm.tsx';
import { ApiKeyMenu } from './ApiKeyMenu.tsx';
import { isForClients } from './api-key-values.ts';
import { MadeKey } from './MadeKey.tsx';
import { type ApiKey, apiKeysQuery, type Endpoint, type MadeApiKey, stateOf } from './queries.ts';
import { RotateApiKey } from './RotateApiKey.tsx';

const route = getRouteApi('/shell/api-keys');

export function ApiKeysPage() {
  const { t } = useTranslation('apiKeys');
  const query = useQuery({ ...apiKeysQuery, select: asPage });
  const { can } = useSession();
  const [isCreating, setCreating] = useState(false);
  const [editing, setEditing] = useState<ApiKey | null>(null);
  const [rotating, setRotating] = useState<ApiKey | null>(null);
  const [made, setMade] = useState<MadeApiKey | null>(null);
  useAddressAction(route.useSearch(), 'create', can('api_keys.manage'), () => setCreating(true));
  const client = query.data?.client_endpoints;
  const columns = useMemo(
    () => columnsOf(t, client ?? [], { onEdit: setEditing, onRotate: setRotating }),
    [t, client],
  );
  const create = can('api_keys.manage') && (
    <Button leftSection={<Plus size={16} />} onClick={() => setCreating(true)}>
      {t('create')}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={
          <>
            <Button
              component="a"
              variant="default"
              href={`${BASE_PATH}/docs/`}
              target="_blank"
              leftSection={<BookOpen size={16} />}
            >
              {t('reference')}
            </Button>
            {create}
          </>
        }
      />
      <DataTable
        name="api-keys"
        label={t('title')}
        columns={columns}
        query={query}
        empty={<EmptyState title={t('empty')}>{t('emptyNext')}</EmptyState>}
      />
      {query.data && (
        <ApiKeyForm
          apiKey={null}
          isOpen={isCreating}
          onClose={() => setCreating(false)}
          endpoints={query.data.endpoints}
          clientEndpoints={query.data.client_endpoints}
          onMade={setMade}
        />
      )}
      {query.data && editing && (
        <ApiKeyForm
          apiKey={editing}
          onClose={() => setEditing(null)}
          endpoints={query.data.endpoints}
          clientEndpoints={query.data.client_endpoints}
        />
      )}
      <RotateApiKey apiKey={rotating} onClose={() => setRotating(null)} onMade={setMade} />
      <MadeKey made={made} apiRoot={query.data?.api_root ?? ''} onClose={() => setMade(null)} />
    </>
  );
}

const TONES: Record<ReturnType<typeof stateOf>, Tone> = {
  active: 'good',
  ending: 'warning',
  expired: 'neutral',
  revoked: 'neutral',
};

const columnsOf = (
  t: TFunction<'apiKeys'>,
  clientEndpoints: readonly Endpoint[],
  actions: Omit<ComponentProps<typeof ApiKeyMenu>, 'apiKey'>,
): Column<ApiKey>[] =>
  listColumns((id) => t(`column.${id}`), {
    description: {
      cell: ({ id, description, is_of_settings }) => (
        <>
          <Text size="sm" fw={600}>
            {description || t('untitled', { id })}
          </Text>
          {is_of_settings && (
            <Text size="xs" c="dimmed">
              LATCHKEY_CONSUMER_KEY
            </Text>
          )}
        </>
      ),
    },
    status: {
      cell: (apiKey) => {
        const state = stateOf(apiKey);
        return <StatusBadge tone={TONES[state]}>{t(`status.${state}`)}</StatusBadge>;
      },
    },
    ending: {
      cell: ({ key_ending }) => (
        <Text span size="sm" ff="monospace" style={{ whiteSpace: 'nowrap' }}>
          …{key_ending}
        </Text>
      ),
    },
    permission: { cell: ({ permission }) => t(`permission.${permission}`) },
    endpoints: { cell: ({ endpoints }) => endpointsText(t, endpoints, clientEndpoints) },
    products: { cell: ({ products }) => (products ? <ProductNumbers ids={products} /> : t('all')) },
    compatibility: {
      cell: ({ compatibility, lmfwc_version }) => (
        <>
          <Text size="sm">{t(`compatibility.${compatibility}`)}</Text>
          {lmfwc_version === 2 && (
            <Text size="xs" c="dimmed">
              {t('lmfwc', { version: 2 })}
            </Text>
          )}
        </>
      ),
      isHidden: true,
    },
    lastAccess: {
      cell: ({ last_access_at }) =>
        last_access_at === null ? t('never') : <Time value={last_access_at} isRelative />,
    },
    expires: { cell: ({ expires_at }) => (expires_at === null ? t('never') : <Time value={expires_at} />) },
    created: { cell: ({ created_at }) => <Time value={created_at} />, isHidden: true },
    user: { cell: ({ user_name }) => user_name ?? '–', isWide: true },
    actions: { align: 'end', cell: (apiKey) => <ApiKeyMenu apiKey={apiKey} {...actions} /> },
  });

function endpointsText(
  t: TFunction<'apiKeys'>,
  endpoints: ApiKey['endpoints'],
  clientEndpoints: readonly Endpoint[],
): string {
  if (endpoints === null) return t('all');
  return isForClients({ endpoints }, clientEndpoints) ? t('client') : t('some', { count: endpoints.length });
}
