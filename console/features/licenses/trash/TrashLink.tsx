import { Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../app/session.ts';
import { ButtonLink, IconLink } from '../../../ui/links.tsx';

/** A link to the deleted licenses, for users who may restore them. */
export function TrashLink() {
  const { t } = useTranslation('trash');
  const { can } = useSession();
  if (!can('licenses.delete')) return null;
  return (
    <>
      <ButtonLink
        to="/licenses/trash"
        visibleFrom="xs"
        variant="default"
        leftSection={<Trash2 size={16} aria-hidden />}
      >
        {t('title')}
      </ButtonLink>
      <IconLink
        to="/licenses/trash"
        hiddenFrom="xs"
        variant="default"
        size={36}
        aria-label={t('title')}
        title={t('title')}
      >
        <Trash2 size={16} aria-hidden />
      </IconLink>
    </>
  );
}
