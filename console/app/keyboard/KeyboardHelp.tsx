import { Group, Kbd, Modal, Stack, Switch, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSession } from '../session.ts';
import { navEntries } from '../shell/nav-entries.ts';
import { modKey, useSingleKeys } from './keyboard.ts';

/** Lists the keyboard shortcuts, with a switch for single-key shortcuts. */
export function KeyboardHelp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation('shell');
  const { can } = useSession();
  const [isOn, setOn] = useSingleKeys();
  const pages = navEntries.filter(({ permission }) => can(permission));
  const shortcuts: [label: string, keys: string[]][] = [
    [t('keyboard.palette'), [modKey, 'K']],
    [t('keyboard.search'), ['/']],
    [t('keyboard.help'), ['?']],
    ...pages.map(({ label, key }): [string, string[]] => [
      t('keyboard.go', { page: t(`nav.${label}`) }),
      ['g', key],
    ]),
  ];
  return (
    <Modal opened={isOpen} onClose={onClose} title={t('menu.keyboard')}>
      <Stack gap="xs">
        <Switch
          label={t('keyboard.singleKeys')}
          description={t('keyboard.singleKeysHint')}
          checked={isOn}
          onChange={(event) => setOn(event.currentTarget.checked)}
          mb="xs"
        />
        {shortcuts.map(([label, keys]) => (
          <Group key={label} justify="space-between" wrap="nowrap">
            <Text size="sm">{label}</Text>
            <Group gap={4} wrap="nowrap">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </Group>
          </Group>
        ))}
      </Stack>
    </Modal>
  );
}
