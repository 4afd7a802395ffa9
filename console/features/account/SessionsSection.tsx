import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { forgetSession, noteSignOut } from '../../app/session.ts';
import { useAction } from '../../ui/actions/use-action.ts';
import { useConfirm } from '../../ui/feedback/confirm.tsx';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { doneToast, errorToast } from '../../ui/feedback/toasts.tsx';
import { Section } from '../../ui/Section.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { browserName } from './browser.ts';
import {
  endAllSessions,
  endOtherSessions,
  endSession,
  type OwnSession,
  refreshAccount,
  sessionsQuery,
} from './queries.ts';

/** The user's sessions, with buttons to end them. */
export function SessionsSection() {
  const { t } = useTranslation('account');
  const { data, error, refetch } = useQuery(sessionsQuery);
  const confirm = useConfirm();
  const navigate = useNavigate();
  const others = useAction({
    mutationFn: endOtherSessions,
    onSuccess: async ({ ended }) => {
      await refreshAccount();
      doneToast(t('sessions.ended', { count: ended }));
    },
    onError: errorToast,
  });
  const everywhere = useAction({
    mutationFn: endAllSessions,
    onSuccess: async () => {
      noteSignOut();
      await navigate({ to: '/sign-in' });
      forgetSession();
    },
    onError: errorToast,
  });
  const leave = async () => {
    const body = t('sessions.everywhereBody');
    if (await confirm({ title: t('sessions.everywhere'), body, action: t('sessions.everywhere') }))
      everywhere.mutate();
  };
  return (
    <Section title={t('sessions.title')} description={t('sessions.description')}>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={120} />}
      <Stack component="ul" gap="sm" p={0} m={0} mb="md" style={{ listStyle: 'none' }}>
        {data?.items.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </Stack>
      <Group gap="xs">
        <Button
          variant="default"
          loading={others.isPending}
          disabled={(data?.items.length ?? 0) < 2}
          onClick={() => others.mutate()}
        >
          {t('sessions.others')}
        </Button>
        <Button variant="default" loading={everywhere.isPending} onClick={() => void leave()}>
          {t('sessions.everywhere')}
        </Button>
      </Group>
    </Section>
  );
}

function SessionRow({ session }: { session: OwnSession }) {
  const { t } = useTranslation('account');
  const name = browserName(session.user_agent) ?? t('sessions.unknown');
  const ended = useAction({
    mutationFn: endSession,
    onSuccess: async () => {
      await refreshAccount();
      doneToast(t('sessions.ended', { count: 1 }));
    },
    onError: errorToast,
  });
  return (
    <Group component="li" justify="space-between" gap="sm">
      <Stack gap={2}>
        <Group gap="xs">
          <Text size="sm" fw={600}>
            {name}
          </Text>
          {session.current && <StatusBadge tone="info">{t('sessions.current')}</StatusBadge>}
          {session.second_factor && <StatusBadge tone="good">{t('sessions.secondFactor')}</StatusBadge>}
        </Group>
        <Text size="xs" c="dimmed">
          {session.ip_address ?? '–'} · {t('sessions.since')} <Time value={session.created_at} /> ·{' '}
          {t('sessions.seen')} <Time value={session.last_seen_at} isRelative />
        </Text>
      </Stack>
      {!session.current && (
        <Button
          size="xs"
          variant="default"
          loading={ended.isPending}
          aria-label={t('sessions.endOne', { name })}
          onClick={() => ended.mutate(session.id)}
        >
          {t('sessions.end')}
        </Button>
      )}
    </Group>
  );
}
