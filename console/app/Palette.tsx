import { useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight } from '@mantine/spotlight';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { CircleUser, KeyRound, LoaderCircle, LogOut, Moon, Search, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { answer, api } from '../client/api.ts';
import { navEntries } from './nav-entries.ts';
import { paletteStore } from './palette-store.ts';
import { useSession } from './session.ts';
import { useSignOut } from './use-sign-out.ts';

/** Characters from which on licenses are searched for, and milliseconds without a key. */
const ENOUGH = 3;
const PAUSE_MS = 200;
const MOST = 6;

interface Entry {
  id: string;
  label: string;
  description?: string;
  icon: ReactNode;
  run: () => unknown;
}

/** Goes to any page, does what can be done from anywhere, and finds licenses. Opens on Mod+K. */
export function Palette() {
  const { t } = useTranslation('shell');
  const [query, setQuery] = useState('');
  const text = query.trim();
  const entries = useEntries().filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()));
  const { licenses, isSearching } = useLicenses(text);
  return (
    <Spotlight.Root
      store={paletteStore}
      query={query}
      onQueryChange={setQuery}
      shortcut="mod + K"
      tagsToIgnore={[]}
      attributes={{ content: { 'aria-label': t('palette.label') } }}
      scrollable
      maxHeight={420}
    >
      <Spotlight.Search
        placeholder={t('palette.placeholder')}
        aria-label={t('palette.placeholder')}
        leftSection={<Search size={18} aria-hidden />}
      />
      <Spotlight.ActionsList aria-label={t('palette.results')}>
        {entries.length > 0 && (
          <Spotlight.ActionsGroup label={t('palette.go')}>
            {entries.map(({ id, label, icon, run }) => (
              <Spotlight.Action key={id} label={label} leftSection={icon} onClick={run} />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {licenses.length > 0 && (
          <Spotlight.ActionsGroup label={t('nav.licenses')}>
            {licenses.map(({ id, label, description, icon, run }) => (
              <Spotlight.Action
                key={id}
                label={label}
                description={description}
                leftSection={icon}
                onClick={run}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {entries.length + licenses.length === 0 && (
          <Spotlight.Empty>
            {isSearching ? (
              <LoaderCircle size={20} aria-label={t('palette.searching')} />
            ) : (
              t('palette.nothing')
            )}
          </Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

function useEntries(): Entry[] {
  const { t } = useTranslation('shell');
  const { can } = useSession();
  const router = useRouter();
  const leave = useSignOut();
  const { setColorScheme } = useMantineColorScheme();
  const pages = navEntries
    .filter(({ permission }) => can(permission))
    .map(({ to, label, icon: Icon }) => ({
      id: to,
      label: t(`nav.${label}`),
      icon: <Icon size={18} aria-hidden />,
      run: () => router.navigate({ to }),
    }));
  const actions = navEntries
    .flatMap((entry) => entry.actions ?? [])
    .filter(({ permission }) => can(permission))
    .map(({ to, search, label, icon: Icon }) => ({
      id: `action-${label}`,
      label: t(`actions.${label}`),
      icon: <Icon size={18} aria-hidden />,
      run: () => router.navigate({ to, search: (search ?? {}) as never }),
    }));
  return [
    ...pages,
    ...actions,
    {
      id: 'account',
      label: t('menu.account'),
      icon: <CircleUser size={18} aria-hidden />,
      run: () => router.navigate({ to: '/account' }),
    },
    {
      id: 'light',
      label: t('palette.light'),
      icon: <Sun size={18} aria-hidden />,
      run: () => setColorScheme('light'),
    },
    {
      id: 'dark',
      label: t('palette.dark'),
      icon: <Moon size={18} aria-hidden />,
      run: () => setColorScheme('dark'),
    },
    { id: 'leave', label: t('menu.signOut'), icon: <LogOut size={18} aria-hidden />, run: leave },
  ];
}

/** Licenses that the text finds, and the list with all of them. */
function useLicenses(text: string): { licenses: Entry[]; isSearching: boolean } {
  const { t } = useTranslation('shell');
  const router = useRouter();
  const [search] = useDebouncedValue(text, PAUSE_MS);
  const isEnough = search.length >= ENOUGH && text.length >= ENOUGH;
  const { data, isFetching } = useQuery({
    queryKey: ['licenses', 'palette', search],
    queryFn: ({ signal }) =>
      answer(api.GET('/licenses', { params: { query: { search, limit: MOST } }, signal })),
    enabled: isEnough,
    placeholderData: keepPreviousData,
    retry: false,
  });
  if (!isEnough) return { licenses: [], isSearching: text.length >= ENOUGH };
  const icon = <KeyRound size={18} aria-hidden />;
  const found = (data?.items ?? []).map(({ id, license_key, order_id }) => ({
    id: `license-${id}`,
    label: license_key,
    description: order_id === null ? '' : t('palette.order', { id: order_id }),
    icon,
    run: () => router.navigate({ to: `/licenses/${id}` as '/licenses' }),
  }));
  const all = {
    id: 'licenses-all',
    label: t('palette.all', { text: search }),
    icon: <Search size={18} aria-hidden />,
    run: () => router.navigate({ to: '/licenses', search: { search } as never }),
  };
  return { licenses: [...found, all], isSearching: isFetching };
}
