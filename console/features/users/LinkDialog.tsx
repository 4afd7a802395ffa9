import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { SecretOnce } from '../../ui/once/SecretOnce.tsx';
import { Time } from '../../ui/Time.tsx';
import type { Invitation } from './queries.ts';

export type Link = Invitation & { kind: 'invitation' | 'reset'; name: string };

export function LinkDialog({ link, onClose }: { link: Link; onClose: () => void }) {
  const { t } = useTranslation('users');
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(`link.${link.kind}`, { name: link.name })}
      closeOnClickOutside={false}
    >
      <Stack>
        <Text size="sm">{t('link.send', { name: link.name })}</Text>
        <SecretOnce
          title={t('link.title')}
          secrets={{ [t('link.name')]: link.link }}
          fileName="latchkey-link.txt"
        />
        <Text size="sm" c="dimmed">
          {t('link.until')} <Time value={link.expires_at} />
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('close')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
