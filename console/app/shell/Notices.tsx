import { Alert } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import { CloudOff } from 'lucide-react';
import { useTranslation } from 'react-i18next';

/** What the reader should know on whichever page: that the network is away. */
export function Notices() {
  const { t } = useTranslation('shell');
  const { online } = useNetwork();
  return (
    <div role="status">
      {!online && (
        <Alert color="orange" variant="light" mb="md" icon={<CloudOff aria-hidden />}>
          {t('offline')}
        </Alert>
      )}
    </div>
  );
}
