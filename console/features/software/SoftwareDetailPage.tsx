import {
  Button,
  Card,
  Group,
  Menu,
  SegmentedControl,
  Skeleton,
  Stack,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Pencil, Trash2, Upload } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import { NotFound } from '../../app/shell/NotFound.tsx';
import { isGone } from '../../client/errors.ts';
import { ActionsMenu } from '../../ui/actions/ActionsMenu.tsx';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { useDeletion } from '../../ui/feedback/use-deletion.ts';
import { useAddressAction } from '../../ui/forms/use-address-action.ts';
import { BackLink } from '../../ui/links.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import {
  CHANNELS,
  type Channel,
  releasesQuery,
  type Software,
  softwareQuery,
  useDeleteSoftware,
} from './queries.ts';
import { ReleaseList } from './ReleaseList.tsx';
import { SoftwareForm } from './SoftwareForm.tsx';

const route = getRouteApi('/shell/software/$id');
/** Load charts and upload code only when they are used. */
const DownloadsSection = lazy(async () => ({
  default: (await import('./DownloadsSection.tsx')).DownloadsSection,
}));
const PublishRelease = lazy(async () => ({ default: (await import('./PublishRelease.tsx')).PublishRelease }));

const CHART_HEIGHT = 320;

export function SoftwareDetailPage() {
  const id = Number(route.useParams().id);
  return Number.isSafeInteger(id) && id > 0 ? <Loaded key={id} id={id} /> : <NotFound />;
}

function Loaded({ id }: { id: number }) {
  const { t } = useTranslation('software');
  const { data, error, refetch } = useQuery(softwareQuery(id));
  const back = <BackLink to="/software">{t('back')}</BackLink>;
  if (!data || isGone(error))
    return (
      <>
        <PageHeader title={t('title')} before={back} />
        {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton height={240} />}
      </>
    );
  return <Detail software={data} />;
}

function Detail({ software }: { software: Software }) {
  const { t } = useTranslation('software');
  const { can } = useSession();
  const search = route.useSearch();
  const { channel, before } = search;
  const { isPending } = useQuery(releasesQuery(software.id, { channel, before }));
  const navigate = route.useNavigate();
  const [isPublishing, setPublishing] = useState(false);
  useAddressAction(search, 'publish', can('software.write'), () => setPublishing(true));
  const { id, name, slug, access } = software;
  const publish = can('software.write') && (
    <Button leftSection={<Upload size={16} />} onClick={() => setPublishing(true)}>
      {t('publish.open')}
    </Button>
  );
  const filter = (value: string) => navigate({ search: { channel: CHANNELS.find((one) => one === value) } });
  return (
    <>
      <PageHeader
        title={name}
        before={<BackLink to="/software">{t('back')}</BackLink>}
        badge={
          <StatusBadge tone={access === 'public' ? 'info' : 'neutral'}>{t(`access.${access}`)}</StatusBadge>
        }
        description={`${slug} · ${coverOf(software, t('all', { ns: 'products' }))}`}
        roleNote={!can('software.write') && t('roleNote')}
        actions={
          <>
            {publish}
            <SoftwareMenu software={software} />
          </>
        }
      />
      <Stack gap="xl">
        <Stack gap="xs">
          <Group justify="space-between">
            <Title order={2}>{t('releases')}</Title>
            <SegmentedControl
              aria-label={t('column.channel')}
              size="xs"
              value={channel ?? ''}
              onChange={(value) => void filter(value)}
              data={[
                { value: '', label: t('channel.all') },
                ...CHANNELS.map((value: Channel) => ({ value, label: t(`channel.${value}`) })),
              ]}
            />
          </Group>
          <ReleaseList softwareId={id} channel={channel} publish={publish} />
        </Stack>
        {/* Render after the releases above, so that the layout does not shift. */}
        {!isPending && (
          <Card component="section" withBorder aria-label={t('downloads.title')}>
            <Suspense fallback={<Skeleton height={CHART_HEIGHT} />}>
              <DownloadsSection softwareId={id} />
            </Suspense>
          </Card>
        )}
      </Stack>
      {isPublishing && (
        <Suspense fallback={<VisuallyHidden>{t('publish.title')}</VisuallyHidden>}>
          <PublishRelease software={software} onClose={() => setPublishing(false)} />
        </Suspense>
      )}
    </>
  );
}

const coverOf = ({ product_ids }: Software, all: string): string =>
  product_ids.length === 0 ? all : product_ids.join(', ');

/** The actions of software that the role allows. */
function SoftwareMenu({ software }: { software: Software }) {
  const { t } = useTranslation('software');
  const { can } = useSession();
  const ask = useDeletion();
  const navigate = useNavigate();
  const remove = useDeleteSoftware();
  const [isEditing, setEditing] = useState(false);
  const { name } = software;
  const onDelete = () =>
    ask({
      title: t('deleteTitle', { name }),
      body: t('delete.body'),
      action: t('delete.confirm'),
      async run() {
        await navigate({ to: '/software' });
        await remove.mutateAsync(software);
      },
      done: t('deleted', { name }),
    });
  if (!can('software.write') && !can('software.delete')) return null;
  return (
    <>
      <ActionsMenu label={t('actionsOf', { name })}>
        {can('software.write') && (
          <Menu.Item leftSection={<Pencil size={16} />} onClick={() => setEditing(true)}>
            {t('edit')}
          </Menu.Item>
        )}
        {can('software.delete') && (
          <Menu.Item color="red.8" leftSection={<Trash2 size={16} />} onClick={() => void onDelete()}>
            {t('delete.confirm')}
          </Menu.Item>
        )}
      </ActionsMenu>
      {isEditing && <SoftwareForm software={software} onClose={() => setEditing(false)} />}
    </>
  );
}
