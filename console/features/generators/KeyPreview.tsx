import { Alert, Code, List, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { fieldErrors, isOfFields } from '../../client/errors.ts';
import { announce } from '../../ui/feedback/announce.tsx';
import { errorText } from '../../ui/feedback/error-text.ts';
import { formatNumber } from '../../ui/format.ts';
import { PossibleKeys, possibleText } from './PossibleKeys.tsx';
import { previewQuery, type Template } from './queries.ts';

/** Milliseconds to wait after the last key. */
const PAUSE_MS = 250;

interface Props {
  template: Template;
  /** Called with the errors of the template, by field; with none once it is right. */
  onFaults: (faults: Record<string, string>) => void;
}

/** Shows sample keys while the user types, the number of possible keys, and warnings. */
export function KeyPreview({ template, onFaults }: Props) {
  const { t } = useTranslation('generators');
  const [settled] = useDebouncedValue(template, PAUSE_MS);
  const { data, error, isEnabled, isPending, isPlaceholderData } = useQuery(previewQuery(settled));
  const possible = data && !error ? possibleText(data.possible) : null;
  useEffect(() => {
    if (possible !== null) announce(t('preview.possible', { count: possible }));
  }, [possible, t]);
  const isFaulty = isOfFields(error, settled);
  // biome-ignore lint/correctness/useExhaustiveDependencies: announce it once
  useEffect(() => {
    if (isFaulty) onFaults(fieldErrors(error));
    else if (data && !isPlaceholderData) onFaults({});
  }, [error, data, isPlaceholderData]);
  return (
    <Paper component="section" withBorder p="md" aria-label={t('preview.title')}>
      <Stack gap="xs">
        <Text fw={600} size="sm">
          {t('preview.title')}
        </Text>
        {!isEnabled ? (
          <Text size="sm" c="dimmed">
            {t('preview.nothing')}
          </Text>
        ) : isFaulty ? (
          <Text size="sm" c="dimmed">
            {t('preview.faulty')}
          </Text>
        ) : error ? (
          <Text size="sm" c="var(--mantine-color-error)">
            {errorText(error)}
          </Text>
        ) : isPending ? (
          <Skeleton height={140} />
        ) : (
          <Stack gap="xs" style={{ opacity: isPlaceholderData ? 0.6 : 1 }}>
            <List listStyleType="none" spacing={4}>
              {data.examples.map((key) => (
                <List.Item key={key}>
                  <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>{key}</Code>
                </List.Item>
              ))}
            </List>
            <Text size="sm">
              <PossibleKeys possible={data.possible} />{' '}
              <Text span c="dimmed" size="sm">
                {t('preview.bits', { bits: formatNumber(data.entropy_bits) })}
              </Text>
            </Text>
            {data.warnings.map(({ kind, characters }) => (
              <Alert
                key={kind + characters}
                color="orange"
                variant="light"
                p="xs"
                icon={<TriangleAlert size={16} />}
              >
                {t(`warning.${kind}`, { characters: [...characters].join(' ') })}
              </Alert>
            ))}
          </Stack>
        )}
      </Stack>
    </Paper>
  );
}
