import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { undoToast } from '../../ui/feedback/toasts.tsx';
import { FormDialog } from '../../ui/forms/FormDialog.tsx';
import { submitting } from '../../ui/forms/submitting.ts';
import { type Release, useChangeRelease } from './queries.ts';
import { YankReason } from './YankReason.tsx';

/** Yanks a release with a reason. */
export function YankRelease({ release, onClose }: { release: Release; onClose: () => void }) {
  const { t } = useTranslation('software');
  const form = useForm({ mode: 'controlled', initialValues: { yank_reason: '' } });
  const change = useChangeRelease();
  const { version, status } = release;
  const submit = submitting(form, async (values) => {
    const yanked = await change.mutateAsync({ release, changes: { status: 'yanked', ...values } });
    const undo = () => change.mutateAsync({ release: yanked, changes: { status } });
    undoToast(t('yank.done', { version }), undo);
    onClose();
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t('yank.title', { version })}
      onSubmit={submit}
      action={t('yank.confirm')}
      sent={change}
      fields={form.getValues()}
      isDangerous
    >
      <Text size="sm">{t('yank.body')}</Text>
      <YankReason data-autofocus {...form.getInputProps('yank_reason')} />
    </FormDialog>
  );
}
