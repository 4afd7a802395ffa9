import { Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fieldErrors } from '../../client/errors.ts';
import { useConfirm } from '../../ui/feedback/confirm.tsx';
import { doneToast } from '../../ui/feedback/toasts.tsx';
import { formatBytes } from '../../ui/format.ts';
import { FileDrop } from '../../ui/forms/FileDrop.tsx';
import { FILE_MAX, type Release } from './queries.ts';
import { UploadDrawer } from './UploadDrawer.tsx';
import { useUpload } from './use-upload.ts';

/** Replaces the file of a release, or adds one to a draft. */
export function ReplaceFile({ release, onClose }: { release: Release; onClose: () => void }) {
  const { t } = useTranslation('software');
  const confirm = useConfirm();
  const work = useUpload(release.software_id);
  const [file, setFile] = useState<File | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const { version, status, file: present } = release;
  const isOffered = status === 'published';
  const action = t(present ? 'replace.action' : 'replace.add');
  const choose = (chosen: File | null) => {
    setFile(chosen);
    setFault(null);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!file) return setFault(t('replace.missing'));
    const question = {
      title: t('replace.title', { version }),
      body: t('replace.body', { file: file.name }),
      action: t('replace.confirm'),
      isDangerous: true,
    };
    if (isOffered && !(await confirm(question))) return;
    const result = await work.start({ release, fields: {}, file });
    if (result.done) {
      doneToast(present ? t('replace.done', { version }) : t('saved', { name: version }));
      onClose();
    } else setFault(fieldErrors(result.error).file ?? null);
  };
  return (
    <UploadDrawer
      title={t('replace.heading', { version })}
      file={file}
      work={work}
      error={fault === null ? work.error : null}
      action={action}
      isDangerous={isOffered}
      onSubmit={(event) => void submit(event)}
      onClose={onClose}
    >
      <Text size="sm">
        {present
          ? t('replace.present', { file: present.name, size: formatBytes(present.size) })
          : t('replace.none')}
      </Text>
      <FileDrop
        label={t('column.file')}
        hint={t('publish.fileHint')}
        file={file}
        onFile={choose}
        maxSize={FILE_MAX}
        error={fault}
        isDisabled={work.isRunning}
      />
      {present && <Text size="sm">{t(isOffered ? 'replace.offered' : 'replace.notOffered')}</Text>}
    </UploadDrawer>
  );
}
