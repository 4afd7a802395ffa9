import { Autocomplete } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { tagsQuery } from './queries.ts';

/** The field `tag` of a form, which suggests the tags of all licenses. */
export function TagField({ defaultValue }: { defaultValue: string | undefined }) {
  const { t } = useTranslation('notes');
  const { data: tags = [] } = useQuery(tagsQuery);
  return (
    <Autocomplete
      name="tag"
      label={t('tag')}
      data={tags}
      defaultValue={defaultValue ?? ''}
      comboboxProps={{ withinPortal: false }}
    />
  );
}
