import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import { Command } from '../../ui/Command.tsx';
import { ButtonLink } from '../../ui/links.tsx';
import { Panel } from './Panel.tsx';

/**
 * First steps, shown instead of charts on an empty server.
 * @param clientRoot base address of the client API; null if it is switched off
 */
export function FirstSteps({ clientRoot }: { clientRoot: string | null }) {
  const { t } = useTranslation('dashboard');
  const { can } = useSession();
  const command = `curl -H 'Content-Type: application/json' -d '{"license_key": "LICENSE-KEY", "fingerprint": "my-laptop"}' ${clientRoot}/activate`;
  return (
    <Stack>
      <Text>
        {t('start.title')}. {t('start.body')}
      </Text>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {can('licenses.write') && (
          <Panel title={t('start.license')}>
            <Text size="sm" mb="sm">
              {t('start.licenseBody')}
            </Text>
            <Group gap="xs">
              <ButtonLink to="/licenses" search={{ create: 'yes' }} size="sm">
                {t('start.licenseAction')}
              </ButtonLink>
              {can('generators.write') && (
                <ButtonLink to="/generators" variant="default" size="sm">
                  {t('start.generatorAction')}
                </ButtonLink>
              )}
              {can('licenses.import') && (
                <ButtonLink to={'/import' as string} variant="default" size="sm">
                  {t('start.importAction')}
                </ButtonLink>
              )}
            </Group>
          </Panel>
        )}
        {clientRoot !== null && (
          <Panel title={t('start.client')}>
            <Text size="sm" mb="sm">
              {t('start.clientBody')}
            </Text>
            <Command text={command} />
          </Panel>
        )}
      </SimpleGrid>
    </Stack>
  );
}
