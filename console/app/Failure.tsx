import { Container } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ErrorState } from '../ui/ErrorState.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';

/** In the place of a page that broke, or could not be loaded. */
export function Failure({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation('shell');
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Container py="xl">
      <PageHeader title={t('failure.title')} />
      <ErrorState error={error} onRetry={retry} />
    </Container>
  );
}
