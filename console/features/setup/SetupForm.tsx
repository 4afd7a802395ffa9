import { Button, Stack, TextInput } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { refreshSession } from '../../app/session.ts';
import { fieldErrors } from '../../client/errors.ts';
import { useAction } from '../../ui/actions/use-action.ts';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { formValues } from '../../ui/forms/form-values.ts';
import { PasswordField } from '../../ui/forms/PasswordField.tsx';
import { useFaults } from '../../ui/forms/use-faults.ts';
import { type SetupLink, setUp } from './queries.ts';
import { dropToken } from './token.ts';

/** The shortest password, in characters. */
const LEAST = 12;

/** Asks the first owner for a name, an email address and a password; asks everyone else only for a password. */
export function SetupForm({ token, link }: { token: string; link: SetupLink }) {
  const { t } = useTranslation('setup');
  const router = useRouter();
  const isSetup = link.purpose === 'setup';
  const sent = useAction({
    mutationFn: setUp,
    onSuccess: async () => {
      dropToken();
      await refreshSession();
      await router.navigate({ to: '/', replace: true });
    },
  });
  const { faults, check } = useFaults();
  const errors = fieldErrors(sent.error);
  const isOfField = ['name', 'email', 'password'].some((name) => name in errors);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        const { name = '', email = '', password = '' } = formValues(event);
        const isRight = check(event.currentTarget, {
          name: isSetup && name.trim() === '' && t('nameMissing'),
          email: isSetup && !email.includes('@') && t('emailFault'),
          password: password.length < LEAST && t('passwordFault'),
        });
        if (isRight) sent.mutate({ token, password, ...(isSetup && { name, email }) });
      }}
    >
      <Stack>
        {isSetup && (
          <TextInput
            label={t('name')}
            description={t('nameHint')}
            name="name"
            autoComplete="name"
            maxLength={100}
            required
            withAsterisk={false}
            error={faults.name || errors.name}
          />
        )}
        <TextInput
          label={t('email')}
          description={isSetup ? t('emailHint') : undefined}
          name="email"
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
          readOnly={!isSetup}
          defaultValue={link.email ?? ''}
          error={faults.email || errors.email}
        />
        <PasswordField
          label={t('password')}
          description={t('passwordHint')}
          name="password"
          autoComplete="new-password"
          minLength={LEAST}
          error={faults.password || (errors.password && t('passwordFault'))}
        />
        {sent.error && !isOfField && <ErrorState error={sent.error} />}
        <Button type="submit" loading={sent.isPending} fullWidth>
          {t(isSetup ? 'create' : 'setPassword')}
        </Button>
      </Stack>
    </form>
  );
}
