import { Button, Menu, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Pencil, RefreshCw, Send, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NotFound } from '../../app/shell/NotFound.tsx';
import { isGone } from '../../client/errors.ts';
import { ActionsMenu } from '../../ui/actions/ActionsMenu.tsx';
import { healthOf } from '../../ui/events/endpoint-health.ts';
import { useConfirm } from '../../ui/feedback/confirm.tsx';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { doneToast, errorToast } from '../../ui/feedback/toasts.tsx';
import { useDeletion } from '../../ui/feedback/use-deletion.ts';
import { instantOf } from '../../ui/format.ts';
import { BackLink } from '../../ui/links.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Section } from '../../ui/Section.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { Deliveries } from './Deliveries.tsx';
import { EndpointAdvice } from './EndpointAdvice.tsx';
import { EndpointFacts } from './EndpointFacts.tsx';
import { EndpointForm } from './EndpointForm.tsx';
import { HowToPoll } from './HowToPoll.tsx';
import { MadeSecret } from './MadeSecret.tsx';
import {
  type Endpoint,
  type EndpointDetails,
  endpointQuery,
  type MadeEndpoint,
  useDeleteEndpoint,
  useRotateSecret,
  useSendTest,
} from './queries.ts';
import { HEALTH_TONES, titleOf } from './words.ts';

const route = getRouteApi('/shell/events/$id');
// The chart library is larger than the rest of the page.
const AttemptsChart = lazy(async () => ({ default: (await import('./AttemptsChart.tsx')).AttemptsChart }));
const CHART_HEIGHT = 252;

export function EndpointPage() {
  const id = Number(route.useParams().id);
  return Number.isSafeInteger(id) && id > 0 ? <Loaded key={id} id={id} /> : <NotFound />;
}

function Loaded({ id }: { id: number }) {
  const { t } = useTranslation('events');
  const { data, error, refetch } = useQuery(endpointQuery(id));
  if (data && !isGone(error)) return <Details details={data} />;
  return (
    <>
      <PageHeader title={t('title')} before={<BackLink to="/events">{t('title')}</BackLink>} />
      {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton height={240} />}
    </>
  );
}

function Details({ details }: { details: EndpointDetails }) {
  const { t } = useTranslation('events');
  const { endpoint, days } = details;
  const isWebhook = endpoint.kind === 'webhook';
  const health = healthOf(endpoint);
  const name = titleOf(t, endpoint);
  return (
    <>
      <PageHeader
        title={name}
        before={<BackLink to="/events">{t('title')}</BackLink>}
        badge={<StatusBadge tone={HEALTH_TONES[health]}>{t(`health.${health}`)}</StatusBadge>}
        description={t(`kind.${endpoint.kind}`)}
        actions={<Actions endpoint={endpoint} name={name} />}
      />
      <Stack gap="md">
        <EndpointAdvice details={details} />
        {!isWebhook && <HowToPoll details={details} />}
        <EndpointFacts endpoint={endpoint} />
        {isWebhook && (
          <Section title={t('chart.title')}>
            <Suspense fallback={<Skeleton height={CHART_HEIGHT} />}>
              <AttemptsChart days={days} />
            </Suspense>
          </Section>
        )}
        <Deliveries details={details} />
      </Stack>
    </>
  );
}

function Actions({ endpoint, name }: { endpoint: Endpoint; name: string }) {
  const { t } = useTranslation('events');
  const confirm = useConfirm();
  const ask = useDeletion();
  const navigate = useNavigate();
  const [isEditing, setEditing] = useState(false);
  const [made, setMade] = useState<MadeEndpoint | null>(null);
  const test = useSendTest(endpoint.id);
  const rotate = useRotateSecret(endpoint.id);
  const remove = useDeleteEndpoint(endpoint.id);
  const onRotate = async () => {
    const until = endpoint.old_secret_until;
    const isAgain = until !== null && instantOf(until).getTime() > Date.now();
    const body = isAgain ? `${t('rotate.body')} ${t('rotate.earlier')}` : t('rotate.body');
    const question = { title: t('rotate.title'), body, action: t('rotate.confirm') };
    if (await confirm(question)) await rotate.mutateAsync(undefined).then(setMade, errorToast);
  };
  const onDelete = () =>
    ask({
      title: t('deleteTitle', { name }),
      body: t('delete.body'),
      action: t('delete.confirm'),
      async run() {
        // Leave the page before deleting, so that it does not fetch a deleted record.
        await navigate({ to: '/events' });
        await remove.mutateAsync(undefined);
      },
      done: t('delete.done', { name }),
    });
  return (
    <>
      {endpoint.state !== 'disabled' && (
        <Button
          leftSection={<Send size={16} />}
          loading={test.isPending}
          onClick={() =>
            test.mutate(undefined, { onSuccess: () => doneToast(t('test.done')), onError: errorToast })
          }
        >
          {t('test.action')}
        </Button>
      )}
      <ActionsMenu label={t('actionsOf', { name })} isBusy={rotate.isPending || remove.isPending}>
        <Menu.Item leftSection={<Pencil size={16} />} onClick={() => setEditing(true)}>
          {t('edit')}
        </Menu.Item>
        {endpoint.kind === 'webhook' && (
          <Menu.Item leftSection={<RefreshCw size={16} />} onClick={() => void onRotate()}>
            {t('rotate.action')}
          </Menu.Item>
        )}
        <Menu.Item color="red.8" leftSection={<Trash2 size={16} />} onClick={() => void onDelete()}>
          {t('delete.action')}
        </Menu.Item>
      </ActionsMenu>
      {isEditing && <EndpointForm endpoint={endpoint} onClose={() => setEditing(false)} />}
      <MadeSecret made={made} title={t('secret.rotated')} onClose={() => setMade(null)} />
    </>
  );
}
