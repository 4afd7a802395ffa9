import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';

export function SignInPage() {
  const { t } = useTranslation('signIn');
  const { t: shell } = useTranslation('shell');
  return (
    <>
      <PageHeader title={t('title')} />
      <EmptyState title={shell('soon')} />
    </>
  );
}
