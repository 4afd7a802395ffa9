import { Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { PasswordStep } from './PasswordStep.tsx';
import { refreshAccount, replaceRecoveryCodes } from './queries.ts';
import { RecoveryCodes } from './RecoveryCodes.tsx';

export function RecoveryCodesDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('account');
  const { t: common } = useTranslation();
  const sent = useMutation({ mutationFn: replaceRecoveryCodes, onSuccess: () => void refreshAccount() });
  const codes = sent.data?.recovery_codes;
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(codes ? 'codes.title' : 'totp.newCodes')}
      closeButtonProps={{ 'aria-label': common('close') }}
      closeOnClickOutside={!codes}
      closeOnEscape={!codes}
      withCloseButton={!codes}
    >
      {codes ? (
        <RecoveryCodes codes={codes} onKept={onClose} />
      ) : (
        <PasswordStep sent={sent} description={t('codes.newDescription')} action={t('totp.newCodes')} />
      )}
    </Modal>
  );
}
