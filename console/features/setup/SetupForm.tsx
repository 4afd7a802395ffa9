import { Button, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../app/query-client.ts';
import { sessionQuery } from '../../app/session.ts';
import { fieldErrors } from '../../client/errors.ts';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { formValues } from '../../ui/form-values.ts';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { type SetupLink, setUp } from './queries.ts';
import { dropToken } from './token.ts';

/** Name, address and password of the first owner; of everybody else the password. */
export function SetupForm({ token, link }: { token: string; link: SetupLink }) {
  const { t } = useTranslation('setup');
  const router = useRouter();
  const isSetup = link.purpose === 'setup';
  const sent = useMutation({
    mutationFn: setUp,
    onSuccess: async () => {
      dropToken();
      await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
      await router.navigate({ to: '/', replace: true });
    },
  });
  const errors = fieldErrors(sent.error);
  const isOfField = ['name', 'email', 'password'].some((name) => name in errors);
  return (
    <form
      onSubmit={(event) => {
        const { name = '', email = '', password = '' } = formValues(event);
        sent.mutate({ token, password, ...(isSetup && { name, email }) });
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
            error={errors.name}
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
          error={errors.email}
        />
        <PasswordField
          label={t('password')}
          description={t('passwordHint')}
          name="password"
          autoComplete="new-password"
          minLength={12}
          withAsterisk={false}
          error={errors.password && t('passwordFault')}
        />
        {sent.error && !isOfField && <ErrorState error={sent.error} />}
        <Button type="submit" loading={sent.isPending} fullWidth>
          {t(isSetup ? 'create' : 'setPassword')}
        </Button>
      </Stack>
    </form>
  );
}
