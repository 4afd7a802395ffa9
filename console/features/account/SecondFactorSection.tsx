import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import { Section } from '../../ui/Section.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { accountQuery } from './queries.ts';
import { RecoveryCodesDialog } from './RecoveryCodesDialog.tsx';
import { RemoveTotpDialog } from './RemoveTotpDialog.tsx';
import { TotpDialog } from './TotpDialog.tsx';

type Dialog = 'switchOn' | 'switchOff' | 'codes' | null;

export function SecondFactorSection() {
  const { t } = useTranslation('account');
  const { user } = useSession();
  const { data: account } = useQuery(accountQuery);
  const [dialog, setDialog] = useState<Dialog>(null);
  const close = () => setDialog(null);
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
        {!user.totp && <Button onClick={() => setDialog('switchOn')}>{t('totp.switchOn')}</Button>}
        {user.totp && (
          <>
            <Button variant="default" onClick={() => setDialog('codes')}>
              {t('totp.newCodes')}
            </Button>
            <Button variant="default" onClick={() => setDialog('switchOff')}>
              {t('totp.switchOff')}
            </Button>
          </>
        )}
      </Group>
      {dialog === 'switchOn' && <TotpDialog onClose={close} />}
      {dialog === 'switchOff' && <RemoveTotpDialog onClose={close} />}
      {dialog === 'codes' && <RecoveryCodesDialog onClose={close} />}
    </Section>
  );
}
