import { useTranslation } from 'react-i18next';
import { fieldErrors } from '../../client/errors.ts';
import { PasswordField } from '../../ui/PasswordField.tsx';

/** The password that there is, as what an open browser must not be enough for asks for it. */
export function CurrentPassword({ error, ...rest }: { error: unknown; 'data-autofocus'?: boolean }) {
  const { t } = useTranslation('account');
  return (
    <PasswordField
      label={t('currentPassword')}
      name="current_password"
      autoComplete="current-password"
      withAsterisk={false}
      {...rest}
      error={fieldErrors(error).current_password && t('currentPasswordWrong')}
    />
  );
}
