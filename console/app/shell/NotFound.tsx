import { Compass } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { ButtonLink } from '../../ui/links.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';

export function NotFound() {
  const { t } = useTranslation('shell');
  return (
    <>
      <PageHeader title={t('notFound.title')} />
      <EmptyState
        icon={Compass}
        title={t('notFound.body')}
        action={
          <ButtonLink to="/" variant="default">
            {t('notFound.home')}
          </ButtonLink>
        }
      />
    </>
  );
}
