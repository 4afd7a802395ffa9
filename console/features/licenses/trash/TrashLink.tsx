import { Box } from '@mantine/core';
import { Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../app/session.ts';
import { AnchorLink, ButtonLink } from '../../../ui/links.tsx';

/** A link to the deleted licenses, for users who may restore them. */
export function TrashLink() {
  const { t } = useTranslation('trash');
  const { can } = useSession();
  if (!can('licenses.delete')) return null;
  return (
    <ButtonLink to="/licenses/trash" variant="default" px={{ base: 10, xs: 'md' }} aria-label={t('title')}>
      <Trash2 size={16} />
      <Box component="span" visibleFrom="xs" ml={10}>
        {t('title')}
      </Box>
    </ButtonLink>
  );
}

/** A link to the deleted licenses, where a license was not found. @param searched what was searched for, if anything */
export function LookInTrash({ searched }: { searched?: string }) {
  const { t } = useTranslation('trash');
  return (
    <AnchorLink to="/licenses/trash" search={{ key: searched }} size="sm">
      {t('look')}
    </AnchorLink>
  );
}
