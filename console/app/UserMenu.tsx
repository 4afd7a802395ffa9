import { ActionIcon, Avatar, Menu, useMantineColorScheme } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { CircleUser, Keyboard, Languages, LogOut, Monitor, Moon, Sun } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { errorToast } from '../ui/toasts.tsx';
import { openKeyboardHelp } from './keyboard-help-store.ts';
import { chooseLanguage, LANGUAGES, type Language } from './language.ts';
import { forgetSession, signOut, useSession } from './session.ts';

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
  const navigate = useNavigate();
  const leave = () =>
    signOut().then(() => {
      forgetSession();
      return navigate({ to: '/sign-in' as string });
    }, errorToast);
  return (
    <Menu position="bottom-end" width={240} shadow="md">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={36} radius="xl" aria-label={t('menu.label')}>
          <Avatar size={32} color="verdigris" name={user.name}>
            {initials(user.name)}
          </Avatar>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {user.name} · {t(`role.${user.role}`)}
        </Menu.Label>
        <Menu.Item
          leftSection={<CircleUser size={16} aria-hidden />}
          renderRoot={(props) => <Link {...props} to={'/account' as string} />}
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
