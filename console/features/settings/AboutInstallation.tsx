import { Alert, Code, SimpleGrid, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../ui/actions/CopyButton.tsx';
import { formatBytes, formatNumber, formatTime } from '../../ui/format.ts';
import { Time } from '../../ui/Time.tsx';
import { BackUpNow } from './BackUpNow.tsx';
import { Facts } from './Facts.tsx';
import type { Installation } from './queries.ts';

/** Version, storage, master key and backups of the installation. */
export function AboutInstallation({ installation }: { installation: Installation }) {
  const { t } = useTranslation('settings');
  const { master_key: masterKey, backups, ...about } = installation;
  const every =
    backups.every_hours === 0 ? t('backups.off') : t('backups.everyHours', { count: backups.every_hours });
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Facts
        title={t('about.title')}
        facts={[
          [t('about.version'), about.version],
          [t('about.runtime'), about.runtime],
          [t('about.engine'), t(`engine.${about.database.kind}`)],
          [t('about.database'), t(`place.${about.database.kind}`, about.database)],
          [t('about.schema'), about.schema],
          [t('about.storage'), t(`place.${about.storage.kind}`, about.storage)],
          [t('about.processes'), formatNumber(about.processes)],
          [
            t('about.started'),
            <span key="started">
              <Time value={about.started_at} isRelative /> ({t('about.startedHelp')})
            </span>,
          ],
        ]}
      />
      <Stack>
        <Facts
          title={t('masterKey.title')}
          facts={[
            [
              t('masterKey.fingerprint'),
              <span key="fingerprint">
                <Code>{masterKey.fingerprint}</Code>{' '}
                <CopyButton value={masterKey.fingerprint} label={t('masterKey.copy')} />
              </span>,
            ],
            [t('masterKey.place'), masterKey.is_file ? t('masterKey.file') : t('masterKey.variable')],
            [
              t('masterKey.retired'),
              masterKey.retired === 0
                ? t('masterKey.retiredNever')
                : t('masterKey.retiredTimes', { count: masterKey.retired }),
            ],
          ]}
        >
          {masterKey.rotation_begun_at && (
            <Alert color="orange" variant="light" mt="xs">
              {t('masterKey.rotation', { time: formatTime(masterKey.rotation_begun_at) })}
            </Alert>
          )}
          <Text size="xs" c="dimmed" mt="xs">
            {t('masterKey.keep')}
          </Text>
        </Facts>
        <Facts
          title={t('backups.title')}
          facts={[
            [
              t('backups.newest'),
              backups.newest ? (
                <span key="newest">
                  <Time value={backups.newest.begun_at} isRelative />, {formatBytes(backups.newest.bytes)}
                </span>
              ) : (
                t('backups.none')
              ),
            ],
            [t('backups.every'), every],
            [t('backups.folder'), backups.folder],
          ]}
        >
          {backups.problem && (
            <Alert color="red" variant="light" mt="xs">
              {t('backups.problem', { problem: backups.problem })}
            </Alert>
          )}
          <BackUpNow />
        </Facts>
      </Stack>
    </SimpleGrid>
  );
}
