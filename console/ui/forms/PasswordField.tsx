import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface Props extends PasswordInputProps {
  name: string;
  /** Tells password managers whether to fill in the current password or generate a new one. */
  autoComplete: 'current-password' | 'new-password';
}

export function PasswordField(props: Props) {
  const { t } = useTranslation();
  return (
    <PasswordInput
      required
      withAsterisk={false}
      maxLength={256}
      visibilityToggleButtonProps={{ 'aria-label': t('password.show'), tabIndex: 0 }}
      {...props}
    />
  );
}
