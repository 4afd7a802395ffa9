import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import { useAction } from '../../ui/actions/use-action.ts';
import { useConfirm } from '../../ui/feedback/confirm.tsx';
import { doneToast, errorToast } from '../../ui/feedback/toasts.tsx';
import { Section } from '../../ui/Section.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { accountQuery, beginTotp, refreshAccount, removeTotp, replaceRecoveryCodes } from './queries.ts';
import { RecoveryCodesDialog } from './RecoveryCodesDialog.tsx';
import { TotpDialog } from './TotpDialog.tsx';

export function SecondFactorSection() {
  const { t } = useTranslation('account');
  const { user } = useSession();
  const { data: account } = useQuery(accountQuery);
  const confirm = useConfirm();
  const setup = useAction({ mutationFn: beginTotp, onError: errorToast });
  const removed = useAction({
    mutationFn: removeTotp,
    onSuccess: async () => {
      await refreshAccount();
      doneToast(t('totp.isOff'));
    },
    onError: errorToast,
  });
  const replaced = useAction({
    mutationFn: replaceRecoveryCodes,
    onSuccess: () => void refreshAccount(),
    onError: errorToast,
  });
  const switchOff = async () => {
    const title = t('totp.offTitle');
    const [body, action] = [t('totp.offDescription'), t('totp.switchOff')];
    if (await confirm({ title, body, action, isDangerous: true })) removed.mutate();
  };
  const replaceCodes = async () => {
    const title = t('codes.newTitle');
    const [body, action] = [t('codes.newDescription'), t('totp.newCodes')];
    if (await confirm({ title, body, action })) replaced.mutate();
  };
  return (
    <Section
      title={t('totp.title')}
      description={t('totp.description')}
      badge={
        <StatusBadge tone={user.totp ? 'good' : 'warning'}>
          {t(user.totp ? 'totp.on' : 'totp.off')}
        </StatusBadge>
      }
    >
      {user.totp && account && (
        <Text size="sm" mb="md">
          {t('totp.codesLeft', { count: account.recovery_codes_left })}
        </Text>
      )}
      <Group gap="xs">
        {!user.totp && <Button onClick={() => setup.mutate()}>{t('totp.switchOn')}</Button>}
        {user.totp && (
          <>
            <Button variant="default" onClick={() => void replaceCodes()}>
              {t('totp.newCodes')}
            </Button>
            <Button variant="default" onClick={() => void switchOff()}>
              {t('totp.switchOff')}
            </Button>
          </>
        )}
      </Group>
      {setup.data && <TotpDialog setup={setup.data} onClose={setup.reset} />}
      {replaced.data && <RecoveryCodesDialog codes={replaced.data.recovery_codes} onKept={replaced.reset} />}
    </Section>
  );
}
