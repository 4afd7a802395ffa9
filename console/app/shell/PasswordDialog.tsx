import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { answer, api } from '../../client/api.ts';
import { fieldErrors } from '../../client/errors.ts';
import { useAction } from '../../ui/actions/use-action.ts';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { formValues } from '../../ui/forms/form-values.ts';
import { PasswordField } from '../../ui/forms/PasswordField.tsx';
import { useEscape } from '../../ui/forms/use-escape.ts';
import { useSession } from '../session.ts';

const confirmSession = (body: { password: string }) => answer(api.POST('/session/confirm', { body }));

interface Props {
  isOpen: boolean;
  onClose: (isGiven: boolean) => void;
}

/** Asks the signed-in user for the password. */
export function PasswordDialog({ isOpen, onClose }: Props) {
  const { t } = useTranslation('shell');
  const { user } = useSession();
  const sent = useAction({ mutationFn: confirmSession, onSuccess: () => onClose(true) });
  const { error } = sent;
  const isWrong = 'password' in fieldErrors(error);
  useEscape(isOpen, () => onClose(false));
  return (
    <Modal
      opened={isOpen}
      onClose={() => onClose(false)}
      onExitTransitionEnd={sent.reset}
      title={t('password.title')}
      closeOnEscape={false}
      returnFocus={false}
      // Above the dialog whose action needs the password.
      zIndex={300}
    >
      <form
        onSubmit={(event) => {
          const { password = '' } = formValues(event);
          sent.mutate({ password });
        }}
      >
        <Stack>
          <Text size="sm">{t('password.description')}</Text>
          {/* Tells password managers whose password this is. */}
          <input type="hidden" name="email" autoComplete="username" value={user.email} readOnly />
          <PasswordField
            label={t('password.label')}
            name="password"
            autoComplete="current-password"
            data-autofocus
            error={isWrong && t('password.wrong')}
          />
          {error && !isWrong && <ErrorState error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => onClose(false)}>
              {t('cancel')}
            </Button>
            <Button type="submit" loading={sent.isPending}>
              {t('password.confirm')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
