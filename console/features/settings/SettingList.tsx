import { Checkbox, Code, Group, Stack, Text, Title } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { announce } from '../../ui/feedback/announce.tsx';
import { SearchField } from '../../ui/SearchField.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import type { Setting } from './queries.ts';
import styles from './SettingList.module.css';

const route = getRouteApi('/shell/settings');

/** All settings with their meanings. */
export function SettingList({ settings }: { settings: readonly Setting[] }) {
  const { t } = useTranslation('settings');
  const navigate = useNavigate();
  const { q = '', only } = route.useSearch();
  const sought = q.toLowerCase();
  const found = settings.filter(
    ({ variable, flag, meaning, is_set }) =>
      (only === undefined || is_set) && `${variable} ${flag ?? ''} ${meaning}`.toLowerCase().includes(sought),
  );
  const count = found.length;
  useEffect(() => announce(t('list.shown', { count })), [count, t]);
  return (
    <section aria-labelledby="all-settings">
      <Title order={2} id="all-settings" mb="xs">
        {t('list.title')}
      </Title>
      <FilterBar label={t('list.search')}>
        <SearchField
          label={t('list.search')}
          value={q}
          onSearch={(text) =>
            navigate({ to: '/settings', search: { q: text || undefined, only }, replace: true })
          }
          miw={240}
        />
        <Checkbox
          label={t('list.onlySet')}
          checked={only === 'set'}
          onChange={(event) =>
            navigate({
              to: '/settings',
              search: { q: q || undefined, only: event.currentTarget.checked ? 'set' : undefined },
            })
          }
          my={8}
        />
      </FilterBar>
      <ul className={styles.list}>
        {found.map((setting) => (
          <li key={setting.variable} className={styles.setting}>
            <Stack gap={2} miw={0}>
              <Group gap="xs">
                <Text ff="monospace" size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
                  {setting.variable}
                </Text>
                <StatusBadge tone={setting.is_set ? 'info' : 'neutral'}>
                  {setting.is_set ? t('list.isSet') : t('list.isDefault')}
                </StatusBadge>
              </Group>
              <Text size="sm">{setting.meaning}</Text>
              {setting.flag && (
                <Text size="xs" c="dimmed" ff="monospace">
                  {setting.flag}
                </Text>
              )}
            </Stack>
            <div>{shownValue(t, setting)}</div>
          </li>
        ))}
      </ul>
      {count === 0 && <Text c="dimmed">{t('list.empty')}</Text>}
    </section>
  );
}

function shownValue(t: TFunction<'settings'>, { is_secret, is_set, value, fallback }: Setting) {
  if (is_secret && is_set) return <Text size="sm">{t('list.secret')}</Text>;
  if (!is_set) return <Text size="sm">{fallback}</Text>;
  return <Code style={{ overflowWrap: 'anywhere' }}>{value ?? t('list.none')}</Code>;
}
