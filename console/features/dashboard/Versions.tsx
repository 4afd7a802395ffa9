import { Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../ui/format.ts';
import { AnchorLink } from '../../ui/links.tsx';
import styles from './Dashboard.module.css';
import { Panel } from './Panel.tsx';
import type { Dashboard } from './queries.ts';

/** The versions that were downloaded most. */
export function Versions({ versions }: Pick<Dashboard, 'versions'>) {
  const { t } = useTranslation('dashboard');
  return (
    <Panel title={t('versions.title')}>
      {versions.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('versions.none')}
        </Text>
      ) : (
        <ul className={styles.list}>
          {versions.map(({ software_id, software, version, downloads }) => (
            <Group component="li" key={`${software_id} ${version}`} justify="space-between" gap="xs">
              <AnchorLink to={`/software/${software_id}` as string} size="sm">
                {software} {version}
              </AnchorLink>
              <Text size="sm">
                {t('versions.downloads', { count: downloads, number: formatNumber(downloads) })}
              </Text>
            </Group>
          ))}
        </ul>
      )}
    </Panel>
  );
}
