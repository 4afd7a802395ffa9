import { Button, Drawer, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fieldErrors } from '../../client/errors.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { FileDrop } from '../../ui/FileDrop.tsx';
import { formatBytes } from '../../ui/format.ts';
import { doneToast } from '../../ui/toasts.tsx';
import { FILE_MAX, type Release } from './queries.ts';
import { UploadProgress } from './UploadProgress.tsx';
import { useUpload } from './use-upload.ts';

/** Gives a release another file, or a draft its first. */
export function ReplaceFile({ release, onClose }: { release: Release; onClose: () => void }) {
  const { t } = useTranslation('software');
  const { t: common } = useTranslation('common');
  const confirm = useConfirm();
  const work = useUpload(release.software_id);
  const [file, setFile] = useState<File | null>(null);
  const [isAsking, setAsking] = useState(false);
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
    if (isOffered) {
      setAsking(true);
      const isConfirmed = await confirm(question);
      // Not before the key that ended it has come to all who listen.
      setTimeout(setAsking, 0, false);
      if (!isConfirmed) return;
    }
    const told = await work.start({ release, fields: {}, file });
    if (told.release) {
      doneToast(t('replace.done', { version }));
      onClose();
    } else setFault(fieldErrors(told.error).file ?? null);
  };
  const close = () => {
    work.stop();
    onClose();
  };
  return (
    <Drawer
      opened
      onClose={close}
      title={t('replace.heading', { version })}
      position="right"
      size="lg"
      closeOnClickOutside={!work.isRunning}
      // It is the question that Escape ends.
      closeOnEscape={!isAsking}
      closeButtonProps={{ 'aria-label': common('close') }}
    >
      <form onSubmit={(event) => void submit(event)} noValidate>
        <Stack>
          <Text size="sm">
            {present
              ? t('replace.present', { file: present.name, size: formatBytes(present.size) })
              : t('replace.none')}
          </Text>
          <FileDrop
            label={t('publish.file')}
            hint={t('publish.fileHint')}
            file={file}
            onFile={choose}
            maxSize={FILE_MAX}
            error={fault}
            isDisabled={work.isRunning}
          />
          {present && <Text size="sm">{t(isOffered ? 'replace.offered' : 'replace.notOffered')}</Text>}
          {work.isRunning && <UploadProgress sent={work.sent} />}
          {work.error !== null && fault === null && <ErrorState error={work.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={work.isRunning ? work.stop : close}>
              {work.isRunning ? t('publish.stop') : common('cancel')}
            </Button>
            <Button type="submit" loading={work.isRunning} color={isOffered ? 'red.8' : undefined}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Drawer>
  );
}
