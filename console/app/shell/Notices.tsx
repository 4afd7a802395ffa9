import { Alert } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import { CloudOff } from 'lucide-react';
import { useTranslation } from 'react-i18next';

/** A notice on every page while the browser is offline. */
export function Notices() {
  const { t } = useTranslation('shell');
  const { online } = useNetwork();
  return (
    <div role="status">
      {!online && (
        <Alert color="orange" variant="light" mb="md" icon={<CloudOff />}>
          {t('offline')}
        </Alert>
      )}
    </div>
  );
}
