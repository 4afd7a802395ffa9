import { useTranslation } from 'react-i18next';
import { OnceDialog } from '../../ui/once/OnceDialog.tsx';
import { RecoveryCodes } from './RecoveryCodes.tsx';

/** The new recovery codes. They are shown once, so only the button closes the dialog. */
export function RecoveryCodesDialog({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) {
  const { t } = useTranslation('account');
  return (
    <OnceDialog opened onClose={onKept} title={t('codes.title')}>
      <RecoveryCodes codes={codes} onKept={onKept} />
    </OnceDialog>
  );
}
