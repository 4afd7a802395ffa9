import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { refreshSession, type Session } from '../../app/session.ts';
import { ApiError } from '../../client/errors.ts';
import { useAction } from '../../ui/actions/use-action.ts';
import { formValues } from '../../ui/forms/form-values.ts';
import { useFaults } from '../../ui/forms/use-faults.ts';
import { showSecondFactor } from './queries.ts';
import { SignInError, useWait } from './SignInError.tsx';

interface Props {
  onDone: (session: Session) => void;
  /** Called when the first step has expired and the user has to enter the password again. */
  onExpired: (session: Session) => void;
}

/** Asks for a code of the authenticator app, or a recovery code. */
export function CodeForm({ onDone, onExpired }: Props) {
  const { t } = useTranslation('signIn');
  const [isRecovery, setRecovery] = useState(false);
  const sent = useAction({
    mutationFn: showSecondFactor,
    onSuccess: (session) => onDone(session),
    onError: (error) => {
      if (error instanceof ApiError && error.status === 401) void refreshSession().then(onExpired);
    },
  });
  const { faults, check } = useFaults();
  const wait = useWait(sent.error);
  const isWrong = sent.error instanceof ApiError && sent.error.reasons.code !== undefined;
  const kind = isRecovery ? 'recovery' : 'code';
  return (
    <form
      noValidate
      onSubmit={(event) => {
        const { code = '' } = formValues(event);
        if (check(event.currentTarget, { code: code.trim() === '' && t('codeMissing') }))
          sent.mutate({ code });
      }}
    >
      <Stack>
        <SignInError error={sent.error} wait={wait} />
        <TextInput
          key={kind}
          label={t(kind)}
          description={t(`${kind}Hint`)}
          name="code"
          autoComplete={isRecovery ? 'off' : 'one-time-code'}
          inputMode={isRecovery ? 'text' : 'numeric'}
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          required
          withAsterisk={false}
          error={faults.code || (isWrong && !sent.isPending && t('codeWrong'))}
          autoFocus
        />
        <Button type="submit" loading={sent.isPending} disabled={wait > 0} fullWidth>
          {t('title')}
        </Button>
        <Anchor component="button" type="button" size="sm" py={4} onClick={() => setRecovery(!isRecovery)}>
          {t(isRecovery ? 'useCode' : 'useRecovery')}
        </Anchor>
        <Text size="xs" c="dimmed">
          {t('lost')}
        </Text>
      </Stack>
    </form>
  );
}
