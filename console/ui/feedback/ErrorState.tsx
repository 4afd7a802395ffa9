import { Alert, Button, Code, Stack, Text } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText, requestIdOf, titleOf } from './error-text.ts';
import { useRetry } from './use-retry.ts';

interface Props {
  error: unknown;
  onRetry?: () => void;
  /** Whether to retry automatically when the server is reachable again. */
  retriesByItself?: boolean;
  /** What the user can do about the error. */
  children?: ReactNode;
}

/** Scrolls the error into view: it may be below the end of a long form. */
const scrollTo = (node: HTMLElement | null): void => node?.scrollIntoView({ block: 'nearest' });

/** Shows an error, with its request ID unless it is a refusal, and with a retry button. */
export function ErrorState({ error, onRetry, retriesByItself = true, children }: Props) {
  const { t } = useTranslation();
  const requestId = requestIdOf(error);
  useRetry(error, retriesByItself ? onRetry : undefined);
  return (
    <Alert
      ref={onRetry ? undefined : scrollTo}
      color="red"
      variant="light"
      icon={<CircleAlert />}
      title={titleOf(error)}
      role="alert"
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{errorText(error)}</Text>
        {children}
        {requestId && (
          <Text size="xs">
            {t('error.requestId')} <Code>{requestId}</Code>
          </Text>
        )}
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {t('retry')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
