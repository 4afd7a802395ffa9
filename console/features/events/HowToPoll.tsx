import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Command } from '../../ui/actions/Command.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Section } from '../../ui/Section.tsx';
import type { EndpointDetails } from './queries.ts';

/** Explains how a program fetches the events of a polled endpoint. */
export function HowToPoll({ details: { endpoint, event_days, api_root } }: { details: EndpointDetails }) {
  const { t } = useTranslation('events');
  const { id, last_seq } = endpoint;
  const command = `curl -u KEY:SECRET "${api_root}/events?endpoint=${id}&after=0"`;
  return (
    <Section title={t('poll.title')} description={t('poll.body', { days: event_days })}>
      <Stack gap="xs">
        <Command text={command} />
        <Text size="sm">
          {t('poll.key')}{' '}
          {last_seq === 0 ? t('poll.noEvents') : t('poll.lastSeq', { seq: formatNumber(last_seq) })}
        </Text>
      </Stack>
    </Section>
  );
}
