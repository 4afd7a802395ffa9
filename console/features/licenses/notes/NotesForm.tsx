import { TagsInput, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { doneToast } from '../../../ui/feedback/toasts.tsx';
import { FormDialog } from '../../../ui/forms/FormDialog.tsx';
import { changesOf } from '../../../ui/forms/form-values.ts';
import { submitting } from '../../../ui/forms/submitting.ts';
import { MetaFields } from './MetaFields.tsx';
import { type MetaRow, metaOf, type Notes, rowsOf, tagsQuery, useSaveNotes } from './queries.ts';

/** The server's limits: characters, number of tags, and characters of a tag. */
const MOST = { note: 10_000, tags: 20, tag: 50 };

interface Props {
  licenseId: number;
  notes: Notes;
  onClose: () => void;
}

/** Edits the notes of a license. */
export function NotesForm({ licenseId, notes, onClose }: Props) {
  const { t } = useTranslation('notes');
  const { data: known = [] } = useQuery(tagsQuery);
  const form = useForm<{ note: string; tags: string[]; meta: MetaRow[] }>({
    initialValues: { note: notes.note ?? '', tags: notes.tags, meta: rowsOf(notes.meta) },
    validate: {
      meta: (rows) => (rows.some(({ name }) => name.trim() === '') ? t('nameMissing') : null),
    },
  });
  const save = useSaveNotes(licenseId, notes);
  const submit = submitting(form, async (values) => {
    const { meta, ...changes } = changesOf(form.getInitialValues(), values);
    if (!meta && Object.keys(changes).length === 0) return onClose();
    if (!(await save.mutateAsync({ ...changes, ...(meta && { meta: metaOf(meta) }) }))) return;
    doneToast(t('saved'));
    onClose();
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t('edit')}
      onSubmit={submit}
      action={t('save')}
      sent={save}
      fields={form.getValues()}
      asDrawer
    >
      <TagsInput
        label={t('tags')}
        description={t('tagsHint')}
        data={known}
        maxTags={MOST.tags}
        maxLength={MOST.tag}
        data-autofocus
        {...form.getInputProps('tags')}
      />
      <Textarea
        label={t('note')}
        description={t('noteHint')}
        autosize
        minRows={4}
        maxRows={14}
        maxLength={MOST.note}
        {...form.getInputProps('note')}
      />
      <MetaFields {...form.getInputProps('meta')} />
    </FormDialog>
  );
}
