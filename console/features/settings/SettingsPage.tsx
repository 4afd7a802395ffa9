import { SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { AboutInstallation } from './AboutInstallation.tsx';
import { settingsQuery } from './queries.ts';
import { SettingList } from './SettingList.tsx';

export function SettingsPage() {
  const { t } = useTranslation('settings');
  const { data, error, refetch } = useQuery(settingsQuery);
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data && (
        <Stack>
          <AboutInstallation installation={data} />
          <SettingList settings={data.settings} />
        </Stack>
      )}
      {!data && !error && (
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          {[0, 1].map((one) => (
            <Skeleton key={one} height={380} radius="md" />
          ))}
        </SimpleGrid>
      )}
    </>
  );
}
