import { Button, Stack, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Session } from '../../app/session.ts';
import { useAction } from '../../ui/actions/use-action.ts';
import { formValues } from '../../ui/forms/form-values.ts';
import { PasswordField } from '../../ui/forms/PasswordField.tsx';
import { useFaults } from '../../ui/forms/use-faults.ts';
import { signIn } from './queries.ts';
import { SignInError, useWait } from './SignInError.tsx';

interface Props {
  /** The email address, if it is known. */
  email?: string;
  /** Called after the password was accepted. */
  onDone: (session: Session) => void;
}

export function PasswordForm({ email, onDone }: Props) {
  const { t } = useTranslation('signIn');
  const sent = useAction({ mutationFn: signIn, onSuccess: (session) => onDone(session) });
  const { faults, check } = useFaults();
  const wait = useWait(sent.error);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        const { email = '', password = '' } = formValues(event);
        const isRight = check(event.currentTarget, {
          email: !email.includes('@') && t(email === '' ? 'emailMissing' : 'emailFault'),
          password: password === '' && t('passwordMissing'),
        });
        if (isRight) sent.mutate({ email, password });
      }}
    >
      <Stack>
        <SignInError error={sent.error} wait={wait} />
        <TextInput
          label={t('email')}
          name="email"
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
          defaultValue={email}
          data-autofocus={email === undefined || undefined}
          error={faults.email}
        />
        <PasswordField
          label={t('password')}
          name="password"
          autoComplete="current-password"
          data-autofocus={email !== undefined || undefined}
          error={faults.password}
        />
        <Button type="submit" loading={sent.isPending} disabled={wait > 0} fullWidth>
          {t('title')}
        </Button>
      </Stack>
    </form>
  );
}
