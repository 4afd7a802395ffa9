import { Button, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../app/query-client.ts';
import { forgetSession, leavePage, type Session, sessionQuery, useSession } from '../../app/session.ts';
import { useEscape } from '../../ui/forms/use-escape.ts';
import { CodeForm } from './CodeForm.tsx';
import { PasswordForm } from './PasswordForm.tsx';

/** Signs a user in again above the page whose session has ended. */
export function SignInAgain() {
  const { t } = useTranslation('signIn');
  const router = useRouter();
  const { user } = useSession();
  const { data } = useQuery(sessionQuery);
  const asksForCode = data?.signed_in === false && data.second_factor;
  useEscape(true, () => {});
  const next = (now: Session) => {
    if (!now.signed_in) return;
    void queryClient.invalidateQueries({
      predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0],
    });
  };
  const leave = async () => {
    leavePage();
    // The routes behind the sign-in check the session again.
    await router.invalidate();
    forgetSession();
  };
  return (
    <Modal
      opened
      onClose={() => {}}
      title={t('again.title')}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      // Above all other dialogs.
      zIndex={310}
    >
      <Stack>
        <Text size="sm">{t('again.description')}</Text>
        {asksForCode ? (
          <CodeForm onDone={next} onExpired={() => {}} />
        ) : (
          <PasswordForm email={user.email} onDone={next} />
        )}
        <Button variant="subtle" color="gray" onClick={() => void leave()}>
          {t('again.leave')}
        </Button>
      </Stack>
    </Modal>
  );
}
