import { Alert, Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Archive } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { refetch } from '../../app/query-client.ts';
import { useSession } from '../../app/session.ts';
import { streamLines } from '../../client/lines.ts';
import { doneToast, errorToast } from '../../ui/feedback/toasts.tsx';
import { formatBytes } from '../../ui/format.ts';

interface Made {
  file: string;
  /** The size of the backup file. */
  bytes: number;
  /** Why no backup was made; null if one was. */
  problem: string | null;
}

/** A button that lets an owner make a backup in the configured folder. */
export function BackUpNow() {
  const { t } = useTranslation('settings');
  const { can } = useSession();
  const backup = useMutation({
    mutationFn: () => streamLines<Made>('/backups', {}),
    onSuccess: ({ file, bytes, problem }) => {
      if (problem === null) doneToast(t('backups.made', { file, bytes: formatBytes(bytes) }));
      return refetch(['settings']);
    },
    onError: errorToast,
  });
  if (!can('backups.create')) return null;
  const problem = backup.data?.problem ?? null;
  return (
    <>
      <Button
        mt="sm"
        size="xs"
        variant="default"
        leftSection={<Archive size={14} />}
        loading={backup.isPending}
        onClick={() => backup.mutate()}
      >
        {t('backups.now')}
      </Button>
      {problem !== null && (
        <Alert color="red" variant="light" mt="xs" role="alert">
          {t('backups.failed', { problem })}
        </Alert>
      )}
    </>
  );
}
