import { Lock } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { ButtonLink } from '../../ui/links.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type Permission, useSession } from '../session.ts';
import type { NavEntry } from './nav-entries.ts';

/** The text that says who may open a page, by the permission of the page; `managers` by default. */
const WHO: Partial<Record<Permission, 'helpers' | 'owners'>> = {
  'licenses.write': 'helpers',
  'users.manage': 'owners',
};

/** Shown instead of a page that the user's role may not see, without fetching the data of that page. */
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
        {t(`notAllowed.${WHO[permission] ?? 'managers'}`, { role })}
      </EmptyState>
    </>
  );
}
