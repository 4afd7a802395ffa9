import { SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import type { SettingTexts } from '../../ui/language.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { AboutInstallation } from './AboutInstallation.tsx';
import { HealthCard } from './HealthCard.tsx';
import { type Setting, settingsQuery, translationsQuery } from './queries.ts';
import { SettingList } from './SettingList.tsx';

export function SettingsPage() {
  const { t, i18n } = useTranslation('settings');
  const { data, error, refetch } = useQuery(settingsQuery);
  // If the translations do not load, show the server's English.
  const translations = useQuery(translationsQuery(i18n.language));
  const isReady = data && !translations.isPending;
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {isReady && (
        <Stack>
          <HealthCard health={data.health} />
          <AboutInstallation installation={data} />
          <SettingList settings={translated(data.settings, translations.data)} />
        </Stack>
      )}
      {!isReady && !error && (
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          {[0, 1].map((one) => (
            <Skeleton key={one} height={380} radius="md" />
          ))}
        </SimpleGrid>
      )}
    </>
  );
}

/** A setting with its translated meaning, or the server's English. */
const translated = (settings: readonly Setting[], words?: SettingTexts): Setting[] =>
  settings.map((setting) => {
    const { variable, meaning, fallback } = setting;
    return {
      ...setting,
      meaning: words?.meanings[variable] ?? meaning,
      fallback: words?.defaults[fallback] ?? fallback,
    };
  });
