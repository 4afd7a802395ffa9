import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import { Command } from '../../ui/actions/Command.tsx';
import { ButtonLink } from '../../ui/links.tsx';
import { Panel } from './Panel.tsx';

interface Props {
  /** Base address of the client API; null if it is switched off. */
  clientRoot: string | null;
}

/** First steps, shown instead of charts until there is a license. */
export function FirstSteps({ clientRoot }: Props) {
  const { t } = useTranslation('dashboard');
  const { can } = useSession();
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
        <ConnectProgram clientRoot={clientRoot} />
      </SimpleGrid>
    </Stack>
  );
}

/** How a program activates a license, shown until one does. */
export function ConnectProgram({ clientRoot }: Props) {
  const { t } = useTranslation('dashboard');
  if (clientRoot === null) return null;
  const command = `curl -H 'Content-Type: application/json' -d '{"license_key": "LICENSE-KEY", "fingerprint": "my-laptop"}' ${clientRoot}/activate`;
  return (
    <Panel title={t('start.client')}>
      <Text size="sm" mb="sm">
        {t('start.clientBody')}
      </Text>
      <Command text={command} />
    </Panel>
  );
}
