import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Answer } from '../../client/api.ts';
import { ApiError } from '../../client/errors.ts';
import { CopyButton } from '../../ui/actions/CopyButton.tsx';
import { useAction } from '../../ui/actions/use-action.ts';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { doneToast } from '../../ui/feedback/toasts.tsx';
import { formValues } from '../../ui/forms/form-values.ts';
import { OnceDialog } from '../../ui/once/OnceDialog.tsx';
import { QrCode } from '../../ui/QrCode.tsx';
import { confirmTotp, refreshAccount } from './queries.ts';
import { RecoveryCodes } from './RecoveryCodes.tsx';

/** The new secret from the server. */
type Begun = Answer<'beginTotp'>;

/** Turns on two-factor authentication: shows the secret, asks for a code, then shows the recovery codes. */
export function TotpDialog({ setup, onClose }: { setup: Begun; onClose: () => void }) {
  const { t } = useTranslation('account');
  const confirmed = useAction({ mutationFn: confirmTotp });
  const codes = confirmed.data?.recovery_codes;
  const close = async () => {
    onClose();
    if (!codes) return;
    await refreshAccount();
    doneToast(t('totp.isOn'));
  };
  return (
    <OnceDialog
      opened
      onClose={() => void close()}
      title={t(codes ? 'codes.title' : 'totp.title')}
      // The codes are shown only once, in the answer.
      isLocked={codes !== undefined || confirmed.isPending}
    >
      {codes ? (
        <RecoveryCodes codes={codes} onKept={() => void close()} />
      ) : (
        <Pairing {...setup} sent={confirmed} />
      )}
    </OnceDialog>
  );
}

interface PairingProps extends Begun {
  sent: { mutate(body: { code: string }): void; isPending: boolean; error: unknown };
}

function Pairing({ secret, address, sent }: PairingProps) {
  const { t } = useTranslation('account');
  const isWrong = sent.error instanceof ApiError && sent.error.reasons.code !== undefined;
  return (
    <form
      onSubmit={(event) => {
        const { code = '' } = formValues(event);
        sent.mutate({ code });
      }}
    >
      <Stack>
        <Text size="sm">{t('totp.scan')}</Text>
        <Group justify="center">
          <QrCode value={address} label={t('totp.qr')} size={184} />
        </Group>
        <Text size="sm">{t('totp.orType')}</Text>
        <Group gap={4} wrap="nowrap">
          <Code fz="sm" style={{ overflowWrap: 'anywhere' }}>
            {secret.replace(/(.{4})(?=.)/g, '$1 ')}
          </Code>
          <CopyButton value={secret} label={t('totp.copySecret')} />
        </Group>
        <TextInput
          label={t('totp.code')}
          description={t('totp.codeHint')}
          name="code"
          autoComplete="one-time-code"
          inputMode="numeric"
          autoFocus
          maxLength={10}
          required
          withAsterisk={false}
          error={isWrong && !sent.isPending ? t('totp.codeWrong') : undefined}
        />
        {sent.error != null && !isWrong && <ErrorState error={sent.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={sent.isPending}>
            {t('totp.switchOn')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
