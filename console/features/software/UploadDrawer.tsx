import { Button, Drawer, Group, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { useDiscard } from '../../ui/forms/use-discard.ts';
import { useRefusedField } from '../../ui/forms/use-refused-field.ts';
import { UploadProgress } from './UploadProgress.tsx';
import type { useUpload } from './use-upload.ts';

interface Props {
  title: string;
  /** The fields, including the file. */
  children: ReactNode;
  file: File | null;
  work: ReturnType<typeof useUpload>;
  /** An error that belongs to no field. */
  error: unknown;
  /** The label of the submit button. */
  action: string;
  isDangerous?: boolean;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  onClose: () => void;
}

/** A form with a file upload, progress and stop. Closing it stops the upload, and asks before it discards the form. */
export function UploadDrawer({ title, children, file, work, error, action, isDangerous, ...rest }: Props) {
  const { t } = useTranslation('software');
  const { isRunning } = work;
  const { ref, close } = useDiscard(rest.onClose, {
    isChanged: file !== null,
    ...(isRunning && { body: t('publish.stopped') }),
    stop: work.stop,
  });
  const { note, forget } = useRefusedField(isRunning);
  return (
    <Drawer opened onClose={close} title={title} closeOnClickOutside={!isRunning}>
      <form ref={ref} onSubmitCapture={note} onSubmit={rest.onSubmit} onInput={forget} noValidate>
        <Stack>
          {children}
          {isRunning && <UploadProgress sent={work.sent} />}
          {error != null && <ErrorState error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={isRunning ? work.stop : rest.onClose}>
              {isRunning ? t('publish.stop') : t('cancel')}
            </Button>
            <Button type="submit" loading={isRunning} color={isDangerous ? 'red.8' : undefined}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Drawer>
  );
}
