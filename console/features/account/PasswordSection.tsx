import { Button, Group, Stack } from '@mantine/core';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import { fieldErrors } from '../../client/errors.ts';
import { useAction } from '../../ui/actions/use-action.ts';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { doneToast } from '../../ui/feedback/toasts.tsx';
import { formValues } from '../../ui/forms/form-values.ts';
import { PasswordField } from '../../ui/forms/PasswordField.tsx';
import { Section } from '../../ui/Section.tsx';
import { changePassword, refreshAccount } from './queries.ts';

export function PasswordSection() {
  const { t } = useTranslation('account');
  const { user } = useSession();
  const form = useRef<HTMLFormElement>(null);
  const sent = useAction({
    mutationFn: changePassword,
    onSuccess: async () => {
      form.current?.reset();
      await refreshAccount();
      doneToast(t('password.done'));
    },
  });
  const errors = fieldErrors(sent.error);
  return (
    <Section title={t('password.title')} description={t('password.description')}>
      <form
        ref={form}
        onSubmit={(event) => {
          const { current_password = '', password = '' } = formValues(event);
          sent.mutate({ current_password, password });
        }}
      >
        <Stack>
          {/* Tells password managers whose password this is. */}
          <input type="hidden" name="email" autoComplete="username" value={user.email} readOnly />
          <PasswordField
            label={t('currentPassword')}
            name="current_password"
            autoComplete="current-password"
            error={errors.current_password && t('currentPasswordWrong')}
          />
          <PasswordField
            label={t('password.new')}
            description={t('password.hint')}
            name="password"
            autoComplete="new-password"
            minLength={12}
            error={errors.password && t('password.fault')}
          />
          {sent.error && Object.keys(errors).length === 0 && <ErrorState error={sent.error} />}
          <Group>
            <Button type="submit" loading={sent.isPending}>
              {t('password.change')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
