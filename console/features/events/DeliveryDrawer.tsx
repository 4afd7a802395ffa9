import { Button, Code, Drawer, Group, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../ui/actions/CopyButton.tsx';
import { type Fact, FactTable } from '../../ui/FactTable.tsx';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { formatNumber, formatRelative, formatTime } from '../../ui/format.ts';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { type DeliveryDetails, deliveryQuery, type Endpoint } from './queries.ts';
import { useRedelivery } from './use-redelivery.ts';
import { answerText, DELIVERY_TONES, isReachable, nextText } from './words.ts';

interface Props {
  endpoint: Endpoint;
  /** The number of the delivery; null while the drawer is closed. */
  seq: number | null;
  onClose: () => void;
}

/** A delivery with its request and the answer. */
export function DeliveryDrawer({ endpoint, seq, onClose }: Props) {
  const { t } = useTranslation('events');
  const [shown, setShown] = useState(seq);
  useEffect(() => {
    // Keep the delivery during the closing transition.
    if (seq !== null) setShown(seq);
  }, [seq]);
  const { data, error, refetch } = useQuery({
    ...deliveryQuery(endpoint.id, shown ?? 0),
    enabled: seq !== null && shown === seq,
  });
  return (
    <Drawer
      opened={seq !== null}
      onClose={onClose}
      title={data ? t('delivery.title', { seq: data.seq, type: data.type }) : t('delivery.event')}
    >
      {data ? (
        <Shown endpoint={endpoint} delivery={data} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton height={320} />
      )}
    </Drawer>
  );
}

interface ShownProps {
  endpoint: Endpoint;
  delivery: DeliveryDetails;
}

function Shown({ endpoint, delivery }: ShownProps) {
  const { t } = useTranslation('events');
  const { sendOne, isPending } = useRedelivery(endpoint.id);
  const { seq, state, request, answer } = delivery;
  const isWebhook = request.url !== null;
  const body = prettyJson(request.body);
  return (
    <Stack>
      <Facts endpoint={endpoint} delivery={delivery} />
      {isReachable(endpoint) && state !== 'pending' && (
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<RotateCcw size={16} />}
            loading={isPending}
            onClick={() => void sendOne(seq)}
          >
            {t('redeliver.one')}
          </Button>
        </Group>
      )}
      <div>
        <Title order={3} mb="xs">
          {t(isWebhook ? 'delivery.request' : 'delivery.event')}
        </Title>
        {isWebhook && (
          <>
            <Code block mb="xs" style={WRAPPED}>
              POST {request.url}
            </Code>
            <Headers headers={request.headers} />
          </>
        )}
        <Group justify="space-between" gap={4} mt="xs">
          <Text size="sm" fw={600}>
            {t('delivery.body')}
          </Text>
          <CopyButton value={body} label={t('delivery.copyBody')} />
        </Group>
        <Code block style={WRAPPED}>
          {body}
        </Code>
      </div>
      {isWebhook && (
        <div>
          <Title order={3} mb="xs">
            {t('delivery.answer')}
          </Title>
          <Answer text={answer} hasAttempt={delivery.attempted_at !== null} delivery={delivery} />
        </div>
      )}
    </Stack>
  );
}

const WRAPPED = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } as const;

function Facts({ endpoint, delivery }: ShownProps) {
  const { t } = useTranslation('events');
  const { state, attempts, attempted_at, ms } = delivery;
  const facts: Fact[] = [
    [t('delivery.id'), delivery.event_id],
    [t('deliveries.column.at'), `${formatTime(delivery.at)} (${delivery.at} UTC)`],
  ];
  if (endpoint.kind === 'webhook') {
    const badge = (
      <StatusBadge key="state" tone={DELIVERY_TONES[state]}>
        {t(`deliveries.state.${state}`)}
      </StatusBadge>
    );
    facts.push(
      [t('deliveries.column.state'), badge],
      [t('deliveries.column.attempts'), formatNumber(attempts)],
    );
    if (attempted_at !== null) facts.push([t('deliveries.column.attemptedAt'), formatTime(attempted_at)]);
    if (ms !== null)
      facts.push([t('deliveries.column.ms'), formatNumber(ms, { style: 'unit', unit: 'millisecond' })]);
    const next = (time: string) => `${formatTime(time)} (${formatRelative(time)})`;
    if (state === 'pending') facts.push([t('deliveries.column.next'), nextText(t, endpoint, delivery, next)]);
  }
  return <FactTable facts={facts} />;
}

function Headers({ headers }: Pick<DeliveryDetails['request'], 'headers'>) {
  const { t } = useTranslation('events');
  return (
    <Table layout="fixed" aria-label={t('delivery.headers')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('delivery.header')}</Table.Th>
          <Table.Th>{t('delivery.value')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {headers.map(({ name, value }) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" fw={500} style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Table.Th>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              {value ?? (
                <Text span size="sm" c="dimmed">
                  {t(name.startsWith('webhook-') ? 'delivery.perAttempt' : 'delivery.hidden')}
                </Text>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

interface AnswerProps {
  text: string | null;
  hasAttempt: boolean;
  delivery: DeliveryDetails;
}

function Answer({ text, hasAttempt, delivery }: AnswerProps) {
  const { t } = useTranslation('events');
  if (!hasAttempt) return <Text size="sm">{t('delivery.noAnswer')}</Text>;
  return (
    <>
      <Text size="sm" mb="xs">
        {answerText(t, delivery)}
      </Text>
      {text ? (
        <Code block style={WRAPPED}>
          {prettyJson(text)}
        </Code>
      ) : (
        delivery.status !== null && (
          <Text size="sm" c="dimmed">
            {t('delivery.emptyAnswer')}
          </Text>
        )
      )}
    </>
  );
}

/** Formats JSON with line breaks; returns any other text unchanged. */
function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
