import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { CircleAlert, CircleSlash } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { healthOf } from '../../ui/events/endpoint-health.ts';
import { doneToast, errorToast } from '../../ui/feedback/toasts.tsx';
import { formatRelative } from '../../ui/format.ts';
import { type EndpointDetails, useUpdateEndpoint } from './queries.ts';
import { errorWords } from './words.ts';

const COLORS = { retrying: 'orange', failing: 'red', gone: 'red', disabled: 'gray' };
/**
 * The labels of the button that enables an endpoint. Enabling also sends waiting events at once, even if the endpoint is
 * enabled already.
 */
const ACTIONS = { retrying: 'now', failing: 'again', gone: 'again', disabled: 'action' } as const;

/** Explains what is wrong with an endpoint and what to do. Renders nothing if all is well. */
export function EndpointAdvice({ details }: { details: EndpointDetails }) {
  const { t } = useTranslation('events');
  const { endpoint, event_days, failing_days } = details;
  const update = useUpdateEndpoint(endpoint.id);
  const health = healthOf(endpoint);
  if (health === 'enabled') return null;
  const { last_error, last_failure_at, paused_until, failures } = endpoint;
  const hasError = health !== 'disabled' && last_error !== null && last_failure_at !== null;
  const set = (is_enabled: boolean) =>
    update.mutate(
      { is_enabled },
      {
        onSuccess: () => is_enabled && doneToast(t(health === 'retrying' ? 'enable.sending' : 'enable.done')),
        onError: errorToast,
      },
    );
  const Icon = health === 'disabled' ? CircleSlash : CircleAlert;
  return (
    <Alert
      color={COLORS[health]}
      variant="light"
      icon={<Icon />}
      title={t(`advice.${health}.title`, { count: failures })}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t(`advice.${health}.body`, { days: event_days, failing: failing_days })}</Text>
        {hasError && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {t('advice.lastError', {
              time: formatRelative(last_failure_at),
              error: errorWords(t, last_error),
            })}
          </Text>
        )}
        {hasError && health === 'retrying' && paused_until !== null && (
          <Text size="sm">{t('advice.next', { time: formatRelative(paused_until) })}</Text>
        )}
        <Group gap="xs">
          <Button size="xs" variant="default" loading={update.isPending} onClick={() => set(true)}>
            {t(`enable.${ACTIONS[health]}`)}
          </Button>
          {health === 'gone' && (
            <Button size="xs" variant="default" disabled={update.isPending} onClick={() => set(false)}>
              {t('enable.keep')}
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}
