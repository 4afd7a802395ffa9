import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import { fieldErrors } from '../../client/errors.ts';
import { useAction } from '../../ui/actions/use-action.ts';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { doneToast } from '../../ui/feedback/toasts.tsx';
import { changesOf, formValues } from '../../ui/forms/form-values.ts';
import { Section } from '../../ui/Section.tsx';
import { refreshAccount, updateAccount } from './queries.ts';

export function ProfileSection() {
  const { t } = useTranslation('account');
  const { user } = useSession();
  const [before, setBefore] = useState({ name: user.name, email: user.email });
  const sent = useAction({
    mutationFn: (values: typeof before) => updateAccount(changesOf(before, values)),
    onSuccess: async (_, values) => {
      setBefore(values);
      await refreshAccount();
      doneToast(t('saved'));
    },
  });
  const errors = fieldErrors(sent.error);
  return (
    <Section title={t('profile.title')}>
      <form
        onSubmit={(event) => {
          const { name = '', email = '' } = formValues(event);
          sent.mutate({ name, email });
        }}
      >
        <Stack>
          <TextInput
            label={t('profile.name')}
            description={t('profile.nameHint')}
            name="name"
            autoComplete="name"
            defaultValue={before.name}
            maxLength={100}
            required
            withAsterisk={false}
            error={errors.name}
          />
          <TextInput
            label={t('profile.email')}
            description={t('profile.emailHint')}
            name="email"
            type="email"
            autoComplete="username"
            defaultValue={before.email}
            required
            withAsterisk={false}
            error={errors.email}
          />
          {sent.error && Object.keys(errors).length === 0 && <ErrorState error={sent.error} />}
          <Group>
            <Button type="submit" loading={sent.isPending}>
              {t('save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
