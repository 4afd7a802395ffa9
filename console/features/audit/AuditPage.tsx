import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';

export function AuditPage() {
  const { t } = useTranslation('audit');
  const { t: shell } = useTranslation('shell');
  return (
    <>
      <PageHeader title={t('title')} />
      <EmptyState title={shell('soon')} />
    </>
  );
}
