import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { doneToast } from '../../ui/feedback/toasts.tsx';
import { FormDialog } from '../../ui/forms/FormDialog.tsx';
import { changesOf } from '../../ui/forms/form-values.ts';
import { submitting } from '../../ui/forms/submitting.ts';
import { type Channel, type Release, useSaveRelease } from './queries.ts';
import { ReleaseFields } from './ReleaseFields.tsx';
import { YankReason } from './YankReason.tsx';

interface Values {
  channel: Channel;
  rollout: number;
  changelog: string;
  upgrade_notice: string;
  yank_reason: string;
}

/** Edits a release. */
export function ReleaseForm({ release, onClose }: { release: Release; onClose: () => void }) {
  const { t } = useTranslation('software');
  const form = useForm<Values>({
    mode: 'controlled',
    initialValues: {
      channel: release.channel,
      rollout: release.rollout,
      changelog: release.changelog ?? '',
      upgrade_notice: release.upgrade_notice ?? '',
      yank_reason: release.yank_reason ?? '',
    },
  });
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
