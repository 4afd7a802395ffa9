import { useMantineColorScheme } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import {
  CircleUser,
  Keyboard,
  KeyRound,
  Languages,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  Sun,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { chooseLanguage, LANGUAGES, type Language } from '../../ui/language.ts';
import { EXPIRIES, STATUSES } from '../../ui/licenses/license-status.ts';
import { useSession } from '../session.ts';
import { navActions, navEntries } from '../shell/nav-entries.ts';
import { useSignOut } from '../shell/use-sign-out.ts';
import { openKeyboardHelp } from './keyboard-help-store.ts';

export interface Entry {
  id: string;
  label: string;
  description?: string;
  /** The part of the label that a search must name. Entries with it are shown only in a search, the others always. */
  named?: string;
  icon: ReactNode;
  run: () => unknown;
}

const SCHEMES = { auto: Monitor, light: Sun, dark: Moon } as const;
const show = (Icon: LucideIcon) => <Icon size={18} />;

/** Pages, actions and preferences, as far as the user's role allows. */
export function usePaletteEntries(): { label: string; entries: Entry[] }[] {
  const { t, i18n } = useTranslation('shell');
  const { can } = useSession();
  const router = useRouter();
  const leave = useSignOut();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const go = (to: string, search: object = {}) => router.navigate({ to, search: search as never });
  const pages = navEntries
    .filter(({ permission }) => can(permission))
    .map(({ to, label, icon }) => ({
      id: to,
      label: t(`nav.${label}`),
      icon: show(icon),
      run: () => go(to),
    }));
  const views = [
    ...STATUSES.map((status) => ({ search: { status }, named: t(`status.${status}`, { ns: 'licenses' }) })),
    ...EXPIRIES.map((expiry) => ({ search: { expiry }, named: t(`filter.${expiry}`, { ns: 'licenses' }) })),
  ].map(({ search, named }) => ({
    id: `licenses-${Object.values(search)}`,
    label: `${t('nav.licenses')}: ${named}`,
    named,
    icon: show(KeyRound),
    run: () => go('/licenses', search),
  }));
  const actions = navActions
    .filter(({ permission }) => can(permission))
    .map(({ to = '/', start, run, label, icon }) => ({
      id: `action-${label}`,
      label: t(`actions.${label}`),
      icon: show(icon),
      run: () => (run ? run() : go(to, start && { [start]: 'yes' })),
    }));
  const account = {
    id: 'account',
    label: t('menu.account'),
    icon: show(CircleUser),
    run: () => go('/account'),
  };
  const signOut = { id: 'leave', label: t('menu.signOut'), icon: show(LogOut), run: leave };
  const schemes = Object.entries(SCHEMES)
    .filter(([scheme]) => scheme !== colorScheme)
    .map(([scheme, icon]) => ({
      id: scheme,
      label: t('palette.scheme', { scheme: t(`scheme.${scheme as keyof typeof SCHEMES}`) }),
      icon: show(icon),
      run: () => setColorScheme(scheme as keyof typeof SCHEMES),
    }));
  const languages = Object.entries(LANGUAGES)
    .filter(([language]) => language !== i18n.language)
    .map(([language, name]) => ({
      id: language,
      label: t('palette.language', { name }),
      icon: show(Languages),
      run: () => chooseLanguage(language as Language),
    }));
  const preferences = [
    ...schemes,
    ...languages,
    { id: 'keyboard', label: t('menu.keyboard'), icon: show(Keyboard), run: openKeyboardHelp },
  ];
  return [
    { label: t('palette.go'), entries: [...pages, ...views, account] },
    { label: t('palette.do'), entries: [...actions, signOut] },
    { label: t('palette.preferences'), entries: preferences },
  ];
}
