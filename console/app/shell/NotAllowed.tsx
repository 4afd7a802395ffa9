import { Lock } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { ButtonLink } from '../../ui/links.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { useSession } from '../session.ts';
import type { NavEntry } from './navigation.ts';

/** Replaces a page that the user's role may not see, without fetching its data. */
export function NotAllowed({ entry: { label, permission } }: { entry: NavEntry }) {
  const { t } = useTranslation('shell');
  const { user } = useSession();
  const role = t(`role.${user.role}`);
  return (
    <>
      <PageHeader title={t(`nav.${label}`)} />
      <EmptyState
        icon={Lock}
        title={t('notAllowed.title')}
        action={
          <ButtonLink to="/" variant="default">
            {t('notFound.home')}
          </ButtonLink>
        }
      >
        {t(permission === 'users.manage' ? 'notAllowed.owners' : 'notAllowed.managers', { role })}
      </EmptyState>
    </>
  );
}
