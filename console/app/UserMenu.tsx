import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CircleUser, Keyboard, Languages, LogOut, Monitor, Moon, Sun } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { openKeyboardHelp } from './keyboard-help-store.ts';
import { chooseLanguage, LANGUAGES, type Language } from './language.ts';
import styles from './Shell.module.css';
import { useSession } from './session.ts';
import { useSignOut } from './use-sign-out.ts';

const SCHEMES = { auto: Monitor, light: Sun, dark: Moon } as const;
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
          leftSection={<CircleUser size={16} aria-hidden />}
          renderRoot={(props) => <Link {...props} to="/account" />}
        >
          {t('menu.account')}
        </Menu.Item>
        <Menu.Item leftSection={<Keyboard size={16} aria-hidden />} onClick={openKeyboardHelp}>
          {t('menu.keyboard')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t('menu.scheme')}</Menu.Label>
        {(Object.keys(SCHEMES) as (keyof typeof SCHEMES)[]).map((scheme) => {
          const Icon = SCHEMES[scheme];
          return (
            <Menu.Item
              key={scheme}
              leftSection={<Icon size={16} aria-hidden />}
              role="menuitemradio"
              aria-checked={colorScheme === scheme}
              fw={colorScheme === scheme ? 700 : undefined}
              onClick={() => setColorScheme(scheme)}
            >
              {t(`scheme.${scheme}`)}
            </Menu.Item>
          );
        })}
        <Menu.Divider />
        <Menu.Label>{t('menu.language')}</Menu.Label>
        {(Object.keys(LANGUAGES) as Language[]).map((language) => (
          <Menu.Item
            key={language}
            lang={language}
            leftSection={<Languages size={16} aria-hidden />}
            role="menuitemradio"
            aria-checked={i18n.language === language}
            fw={i18n.language === language ? 700 : undefined}
            onClick={() => void chooseLanguage(language)}
          >
            {LANGUAGES[language]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={16} aria-hidden />} onClick={() => void leave()}>
          {t('menu.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
