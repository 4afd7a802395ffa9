import { Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { RecoveryCodes } from './RecoveryCodes.tsx';

/** The new recovery codes. They are shown once, so only the button closes the dialog. */
export function RecoveryCodesDialog({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) {
  const { t } = useTranslation('account');
  return (
    <Modal
      opened
      onClose={onKept}
      title={t('codes.title')}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <RecoveryCodes codes={codes} onKept={onKept} />
    </Modal>
  );
}
