import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../ui/format.ts';
import { AnchorLink } from '../../ui/links.tsx';
import styles from './Dashboard.module.css';
import { Panel } from './Panel.tsx';
import type { Dashboard } from './queries.ts';

/** Shows which versions programs run, according to their update checks. */
export function VersionsInUse({ inUse: { checks, versions } }: { inUse: Dashboard['in_use'] }) {
  const { t } = useTranslation('dashboard');
  const share = (part: number) =>
    t('inUse.share', {
      share: formatNumber(part / checks, { style: 'percent', maximumFractionDigits: 1 }),
    });
  const others = checks - versions.reduce((sum, version) => sum + version.checks, 0);
  return (
    <VersionList title={t('inUse.title')} none={checks === 0 && t('inUse.none')}>
      {versions.map((version) => (
        <VersionRow key={`${version.software_id} ${version.version}`} {...version}>
          {share(version.checks)}
        </VersionRow>
      ))}
      {others > 0 && (
        <Group component="li" justify="space-between" gap="xs">
          <Text size="sm">{t('inUse.other')}</Text>
          <Text size="sm">{share(others)}</Text>
        </Group>
      )}
    </VersionList>
  );
}

/** The versions that were downloaded most. */
export function Versions({ versions }: Pick<Dashboard, 'versions'>) {
  const { t } = useTranslation('dashboard');
  return (
    <VersionList title={t('versions.title')} none={versions.length === 0 && t('versions.none')}>
      {versions.map(({ downloads, ...version }) => (
        <VersionRow key={`${version.software_id} ${version.version}`} {...version}>
          {t('versions.downloads', { count: downloads, number: formatNumber(downloads) })}
        </VersionRow>
      ))}
    </VersionList>
  );
}

interface ListProps {
  title: string;
  /** The text to show if the list has no rows; false if it has some. */
  none: string | false;
  children: ReactNode;
}

function VersionList({ title, none, children }: ListProps) {
  return (
    <Panel title={title}>
      {none ? (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      ) : (
        <ul className={styles.list}>{children}</ul>
      )}
    </Panel>
  );
}

interface Row {
  software_id: number;
  software: string;
  version: string;
  children: ReactNode;
}
const VersionRow = ({ software_id, software, version, children }: Row) => (
  <Group component="li" justify="space-between" gap="xs">
    <AnchorLink to={`/software/${software_id}` as string} size="sm">
      {software} {version}
    </AnchorLink>
    <Text size="sm">{children}</Text>
  </Group>
);
