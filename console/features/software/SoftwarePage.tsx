import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { Package, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { NumberText } from '../../ui/forms/NumberText.tsx';
import { useAddressAction } from '../../ui/forms/use-address-action.ts';
import { AnchorLink } from '../../ui/links.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { ProductNumbers } from '../../ui/products/ProductNumber.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { type Column, listColumns } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { ChooseSoftware } from './ChooseSoftware.tsx';
import { type ListedSoftware, softwareListQuery } from './queries.ts';
import { SoftwareForm } from './SoftwareForm.tsx';

const route = getRouteApi('/shell/software');

export function SoftwarePage() {
  const { t } = useTranslation('software');
  const { can } = useSession();
  const search = route.useSearch();
  const query = useQuery(softwareListQuery({ before: search.before }));
  const [isChoosing, setChoosing] = useState(false);
  useAddressAction(search, 'publish', can('software.write'), () => setChoosing(true));
  const [isCreating, setCreating] = useState(false);
  const columns = useMemo(() => columnsOf(t), [t]);
  const create = can('software.write') && (
    <Button leftSection={<Plus size={16} />} onClick={() => setCreating(true)}>
      {t('create')}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        roleNote={!can('software.write') && t('roleNote')}
        actions={create}
      />
      <DataTable
        name="software"
        label={t('title')}
        columns={columns}
        query={query}
        rowTo={({ id }) => `/software/${id}`}
        empty={
          <EmptyState title={t('empty')} icon={Package} action={create}>
            {t('emptyNext')}
          </EmptyState>
        }
      />
      <ChooseSoftware isOpen={isChoosing} software={query.data?.items} onClose={() => setChoosing(false)} />
      {isCreating && <SoftwareForm software={null} onClose={() => setCreating(false)} />}
    </>
  );
}

const columnsOf = (t: TFunction<'software'>): Column<ListedSoftware>[] =>
  listColumns((id) => t(`column.${id}`), {
    name: {
      cell: ({ id, name }) => (
        <AnchorLink to="/software/$id" params={{ id: String(id) }} size="sm" fw={600}>
          {name}
        </AnchorLink>
      ),
    },
    latest: { cell: ({ latest_version }) => latest_version ?? '–' },
    installs: {
      align: 'end',
      cell: ({ active_installs, active_installs_is_more }) => (
        <NumberText value={active_installs} isMore={active_installs_is_more} />
      ),
    },
    slug: { cell: ({ slug }) => slug, isWide: true },
    access: {
      cell: ({ access }) => (
        <StatusBadge tone={access === 'public' ? 'info' : 'neutral'}>{t(`access.${access}`)}</StatusBadge>
      ),
    },
    products: {
      cell: ({ product_ids }) =>
        product_ids.length === 0 ? t('all', { ns: 'products' }) : <ProductNumbers ids={product_ids} />,
    },
    type: { cell: ({ type }) => type, isHidden: true },
    created: { cell: ({ created_at }) => <Time value={created_at} /> },
  });
