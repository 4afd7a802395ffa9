import { Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { ButtonLink } from '../../ui/links.tsx';
import { Panel } from './Panel.tsx';

/** First steps, shown instead of charts on an empty server. */
export function FirstSteps({ apiRoot }: { apiRoot: string }) {
  const { t } = useTranslation('dashboard');
  const { can } = useSession();
  const command = `curl -u CONSUMER-KEY:CONSUMER-SECRET ${apiRoot}/licenses/activate/LICENSE-KEY`;
  const mayCreate = can('licenses.write');
  const mayMakeKeys = can('api_keys.manage');
  return (
    <Stack>
      <Text>
        {t('start.title')}. {t(mayCreate ? 'start.body' : 'start.bodyOfReader')}
      </Text>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {mayCreate && (
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
        <Panel title={t('start.client')}>
          <Text size="sm" mb="sm">
            {t(mayMakeKeys ? 'start.clientBody' : 'start.clientAsk')}
          </Text>
          <Group gap={4} wrap="nowrap" align="flex-start" mb="sm">
            <Code block style={{ flex: 1, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {command}
            </Code>
            <CopyButton value={command} label={t('start.copy')} />
          </Group>
          {mayMakeKeys && (
            <ButtonLink to="/api-keys" variant="default" size="sm">
              {t('start.clientAction')}
            </ButtonLink>
          )}
        </Panel>
      </SimpleGrid>
    </Stack>
  );
}
