import { Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { Ban, PackageOpen } from 'lucide-react';
import { type ComponentProps, lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import { IconAction } from '../../ui/actions/IconAction.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { errorToast, undoToast } from '../../ui/feedback/toasts.tsx';
import { formatBytes, formatNumber } from '../../ui/format.ts';
import { StatusBadge, type Tone } from '../../ui/StatusBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { type Column, listColumns } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { type Channel, type Release, releasesQuery, useChangeRelease } from './queries.ts';
import { ReleaseForm } from './ReleaseForm.tsx';
import { type ReleaseDialog, ReleaseMenu } from './ReleaseMenu.tsx';
import { YankRelease } from './YankRelease.tsx';

/** Load the upload code only when it is used. */
const ReplaceFile = lazy(async () => ({ default: (await import('./ReplaceFile.tsx')).ReplaceFile }));

const route = getRouteApi('/shell/software/$id');

interface Props {
  softwareId: number;
  channel: Channel | undefined;
  /** The button that creates the first release. */
  publish: ReactNode;
}

interface Opened {
  release?: Release;
  dialog?: ReleaseDialog;
}

/** The releases of software, highest version first. */
export function ReleaseList({ softwareId, channel, publish }: Props) {
  const { t } = useTranslation('software');
  const { before } = route.useSearch();
  const query = useQuery(releasesQuery(softwareId, { channel, before }));
  const [{ release, dialog }, setOpen] = useState<Opened>({});
  const { can } = useSession();
  const isActing = can('software.write') || can('software.delete');
  const columns = useMemo(
    () => columnsOf(t, isActing ? (release, dialog) => setOpen({ release, dialog }) : null),
    [t, isActing],
  );
  const close = () => setOpen({});
  return (
    <>
      <DataTable
        name="releases"
        label={t('releases')}
        columns={columns}
        query={query}
        empty={
          channel ? (
            <EmptyState title={t('emptyChannel')} icon={PackageOpen} />
          ) : (
            <EmptyState title={t('emptyReleases')} icon={PackageOpen} action={publish}>
              {t('emptyReleasesNext')}
            </EmptyState>
          )
        }
      />
      {release && dialog === 'edit' && <ReleaseForm key={release.id} release={release} onClose={close} />}
      {release && dialog === 'yank' && <YankRelease key={release.id} release={release} onClose={close} />}
      {release && dialog === 'replace' && (
        <Suspense fallback={<VisuallyHidden>{t('replace.action')}</VisuallyHidden>}>
          <ReplaceFile key={release.id} release={release} onClose={close} />
        </Suspense>
      )}
    </>
  );
}

const TONES: Record<Release['status'], Tone> = { published: 'good', draft: 'neutral', yanked: 'bad' };

/** @param open opens a dialog for a release; null if the role allows no action */
const columnsOf = (
  t: TFunction<'software'>,
  open: ((release: Release, dialog: ReleaseDialog) => void) | null,
): Column<Release>[] =>
  listColumns(
    (id) => t(`column.${id}`),
    {
      version: {
        cell: ({ version }) => (
          <Text size="sm" fw={600}>
            {version}
          </Text>
        ),
      },
      channel: { cell: ({ channel }) => t(`channel.${channel}`) },
      status: {
        cell: ({ status, yank_reason }) => (
          <>
            <StatusBadge tone={TONES[status]}>{t(`status.${status}`)}</StatusBadge>
            {yank_reason && (
              <Text size="xs" c="dimmed" miw={180} maw={320} lineClamp={2} title={yank_reason}>
                {yank_reason}
              </Text>
            )}
          </>
        ),
      },
      rollout: { align: 'end', cell: (release) => <Rollout release={release} /> },
      file: {
        cell: ({ file }) => (
          <>
            <Text size="sm" truncate maw={320} visibleFrom="lg">
              {file ? `${file.name} (${formatBytes(file.size)})` : '–'}
            </Text>
            <Text size="sm" hiddenFrom="lg" title={file?.name} style={{ whiteSpace: 'nowrap' }}>
              {file ? formatBytes(file.size) : '–'}
            </Text>
          </>
        ),
      },
      published: { cell: ({ published_at }) => <Time value={published_at} isDay /> },
      actions: {
        align: 'end',
        cell: (release) =>
          open && <ReleaseActions release={release} onOpen={(dialog) => open(release, dialog)} />,
      },
    },
    open ? [] : ['actions'],
  );

/** The actions of a row: a button to yank the release, and a menu with the others. */
function ReleaseActions(props: ComponentProps<typeof ReleaseMenu>) {
  const { t } = useTranslation('software');
  const { can } = useSession();
  const { version, status } = props.release;
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      {can('software.write') && status === 'published' && (
        <IconAction
          tip={t('yank.action')}
          label={t('yank.of', { version })}
          icon={Ban}
          color="red.8"
          onClick={() => props.onOpen('yank')}
        />
      )}
      <ReleaseMenu {...props} />
    </Group>
  );
}

/** Shows the share of activations that are offered a release, and a button that offers it to all. */
function Rollout({ release }: { release: Release }) {
  const { t } = useTranslation('software');
  const { can } = useSession();
  const change = useChangeRelease();
  const { rollout, version, status } = release;
  const finish = async () => {
    try {
      const finished = await change.mutateAsync({ release, changes: { rollout: 100 } });
      const undo = () => change.mutateAsync({ release: finished, changes: { rollout } });
      undoToast(t('rollout.done', { version }), undo);
    } catch (error) {
      errorToast(error);
    }
  };
  const share = formatNumber(rollout / 100, { style: 'percent' });
  if (rollout === 100 || status !== 'published' || !can('software.write')) return share;
  return (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      {share}
      <Button
        size="compact-xs"
        variant="default"
        style={{ flexShrink: 0 }}
        loading={change.isPending}
        aria-label={t('rollout.finishOf', { version })}
        onClick={() => void finish()}
      >
        {t('rollout.finish')}
      </Button>
    </Group>
  );
}
