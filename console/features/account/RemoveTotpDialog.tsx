import { Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { doneToast } from '../../ui/toasts.tsx';
import { PasswordStep } from './PasswordStep.tsx';
import { refreshAccount, removeTotp } from './queries.ts';

export function RemoveTotpDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('account');
  const { t: common } = useTranslation();
  const sent = useMutation({
    mutationFn: removeTotp,
    onSuccess: async () => {
      onClose();
      await refreshAccount();
      doneToast(t('totp.isOff'));
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('totp.title')}
      closeButtonProps={{ 'aria-label': common('close') }}
    >
      <PasswordStep sent={sent} description={t('totp.offDescription')} action={t('totp.switchOff')} />
    </Modal>
  );
}
