import { Button, Drawer, Group, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { useDiscard } from '../../ui/forms/use-discard.ts';
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

/** A form with a file upload, progress and stop. Closing it asks first, then stops the upload. */
export function UploadDrawer({ title, children, file, work, error, action, isDangerous, ...rest }: Props) {
  const { t } = useTranslation('software');
  const { t: common } = useTranslation('common');
  const { isRunning } = work;
  const close = () => {
    work.stop();
    rest.onClose();
  };
  const { ref, close: discard } = useDiscard(close, { isChanged: file !== null || isRunning });
  return (
    <Drawer
      opened
      onClose={discard}
      title={title}
      position="right"
      size="lg"
      closeOnClickOutside={!isRunning}
      closeButtonProps={{ 'aria-label': common('close') }}
    >
      <form ref={ref} onSubmit={rest.onSubmit} noValidate>
        <Stack>
          {children}
          {isRunning && <UploadProgress sent={work.sent} />}
          {error != null && <ErrorState error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={isRunning ? work.stop : close}>
              {isRunning ? t('publish.stop') : common('cancel')}
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
