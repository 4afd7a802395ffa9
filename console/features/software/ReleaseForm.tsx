import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { doneToast } from '../../ui/feedback/toasts.tsx';
import { FormDialog } from '../../ui/forms/FormDialog.tsx';
import { changesOf, valuesFor } from '../../ui/forms/form-values.ts';
import { submitting } from '../../ui/forms/submitting.ts';
import { type Release, useSaveRelease } from './queries.ts';
import { ReleaseFields } from './ReleaseFields.tsx';
import { YankReason } from './YankReason.tsx';

const FIELDS = ['channel', 'rollout', 'changelog', 'upgrade_notice', 'yank_reason'] as const;

/** Edits a release. */
export function ReleaseForm({ release, onClose }: { release: Release; onClose: () => void }) {
  const { t } = useTranslation('software');
  const form = useForm({ mode: 'controlled', initialValues: valuesFor(release, FIELDS) });
  const change = useSaveRelease(release);
  const submit = submitting(form, async (values) => {
    const changes = changesOf(form.getInitialValues(), values);
    const saved = await change.mutateAsync(changes);
    if (!saved) return;
    doneToast(t('saved', { name: saved.version }));
    onClose();
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t('editTitle', { name: release.version })}
      onSubmit={submit}
      action={t('saveChanges')}
      sent={change}
      fields={form.getValues()}
      asDrawer
    >
      {release.status === 'yanked' && <YankReason {...form.getInputProps('yank_reason')} />}
      <ReleaseFields inputProps={(name) => form.getInputProps(name)} />
    </FormDialog>
  );
}
