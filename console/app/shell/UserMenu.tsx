import { ActionIcon, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { BookOpen, CircleUser, Keyboard, LogOut } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { BASE_PATH } from '../../client/base.ts';
import { chooseLanguage, LANGUAGES, type Language } from '../../ui/language.ts';
import { openKeyboardHelp } from '../keyboard/keyboard-help-store.ts';
import { useSession } from '../session.ts';
import styles from './Shell.module.css';
import { useSignOut } from './use-sign-out.ts';

const SCHEMES = ['auto', 'light', 'dark'] as const;
const initials = (name: string): string =>
  name
    .split(/\s+/)
    .map((part) => part[0] ?? '')
    .slice(0, 2)
    .join('')
    .toUpperCase();

export function UserMenu() {
  const { t, i18n } = useTranslation('shell');
  const { user } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const leave = useSignOut();
  return (
    <Menu position="bottom-end" width={240} shadow="md">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={36} radius="xl" aria-label={t('menu.label')}>
          <span className={styles.initials} data-initials={initials(user.name)} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {user.name} · {t(`role.${user.role}`)}
        </Menu.Label>
        <Menu.Item
          leftSection={<CircleUser size={16} />}
          renderRoot={(props) => <Link {...props} to="/account" />}
        >
          {t('menu.account')}
        </Menu.Item>
        <Menu.Item leftSection={<Keyboard size={16} />} onClick={openKeyboardHelp}>
          {t('menu.keyboard')}
        </Menu.Item>
        <Menu.Item
          leftSection={<BookOpen size={16} />}
          component="a"
          href={`${BASE_PATH}/docs/`}
          target="_blank"
        >
          {t('menu.reference')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t('menu.scheme')}</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}
        >
          {SCHEMES.map((scheme) => (
            <Menu.RadioItem key={scheme} value={scheme}>
              {t(`scheme.${scheme}`)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{t('menu.language')}</Menu.Label>
        <Menu.RadioGroup
          value={i18n.language}
          onChange={(language) => void chooseLanguage(language as Language)}
        >
          {Object.entries(LANGUAGES).map(([language, name]) => (
            <Menu.RadioItem key={language} value={language} lang={language}>
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={16} />} onClick={() => void leave()}>
          {t('menu.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
