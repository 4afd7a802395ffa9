import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { fieldErrors, isOfFields } from '../../client/errors.ts';
import { undoToast } from '../../ui/feedback/toasts.tsx';
import { FormDialog } from '../../ui/forms/FormDialog.tsx';
import { type Release, useChangeRelease } from './queries.ts';
import { YankReason } from './YankReason.tsx';

/** Yanks a release with a reason. */
export function YankRelease({ release, onClose }: { release: Release; onClose: () => void }) {
  const { t } = useTranslation('software');
  const form = useForm({ mode: 'controlled', initialValues: { yank_reason: '' } });
  const change = useChangeRelease();
  const { version, status } = release;
  const submit = form.onSubmit(async (values) => {
    try {
      const yanked = await change.mutateAsync({ release, changes: { status: 'yanked', ...values } });
      const undo = () => change.mutateAsync({ release: yanked, changes: { status } });
      undoToast(t('yank.done', { version }), undo);
      onClose();
    } catch (error) {
      form.setErrors(fieldErrors(error));
    }
  });
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('yank.title', { version })}
      onSubmit={submit}
      action={t('yank.confirm')}
      isSending={change.isPending}
      error={isOfFields(change.error, form.getValues()) ? undefined : change.error}
      isDangerous
    >
      <Text size="sm">{t('yank.body')}</Text>
      <YankReason data-autofocus {...form.getInputProps('yank_reason')} />
    </FormDialog>
  );
}
