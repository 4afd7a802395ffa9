import { Drawer, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { actorText } from '../../ui/actor-text.ts';
import { fieldWords, valueWords } from '../../ui/change-words.ts';
import { formatTime } from '../../ui/format.ts';
import { ButtonLink } from '../../ui/links.tsx';
import { SubjectLink } from '../../ui/SubjectLink.tsx';
import type { Entry } from './queries.ts';
import { actionText } from './words.ts';

const ANYWHERE = { overflowWrap: 'anywhere' } as const;

interface Props {
  entry: Entry | null;
  onClose: () => void;
}

/** An entry in full, with links to similar entries. */
export function EntryDetails({ entry, onClose }: Props) {
  const { t } = useTranslation('audit');
  const [shown, setShown] = useState(entry);
  useEffect(() => {
    // Keep the entry during the closing transition.
    if (entry) setShown(entry);
  }, [entry]);
  return (
    <Drawer opened={entry !== null} onClose={onClose} title={shown ? actionText(t, shown) : ''}>
      {shown && <Details entry={shown} onLeave={onClose} />}
    </Drawer>
  );
}

function Details({ entry, onLeave }: { entry: Entry; onLeave: () => void }) {
  const { t } = useTranslation('audit');
  const { before, after, about, subject_type, subject_id } = entry;
  const facts = [
    [t('column.at'), `${formatTime(entry.at)} (${entry.at} UTC)`],
    [t('column.who'), actorText(t, entry)],
    [t('column.via'), t(`via.${entry.via}`)],
    [t('column.origin'), entry.origin ?? '–'],
  ];
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {t('entry.title', { id: entry.id })}
      </Text>
      <Table variant="vertical" layout="auto">
        <Table.Tbody>
          {facts.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th>{name}</Table.Th>
              <Table.Td>{value}</Table.Td>
            </Table.Tr>
          ))}
          <Table.Tr>
            <Table.Th>{t('column.subject')}</Table.Th>
            <Table.Td>
              <SubjectLink {...entry} />
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
      {names.length > 0 && (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('entry.value')}</Table.Th>
              {before && <Table.Th>{t('entry.before')}</Table.Th>}
              {after && <Table.Th>{t('entry.after')}</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {names.map((name) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={500}>
                  {fieldWords(subject_type, name)}
                </Table.Th>
                {before && (
                  <Table.Td style={ANYWHERE}>{valueWords(subject_type, name, before[name])}</Table.Td>
                )}
                {after && <Table.Td style={ANYWHERE}>{valueWords(subject_type, name, after[name])}</Table.Td>}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {about && (
        <div>
          <Title order={3} mb="xs">
            {t('entry.about')}
          </Title>
          <Table>
            <Table.Tbody>
              {Object.entries(about).map(([name, value]) => (
                <Table.Tr key={name}>
                  <Table.Th scope="row" fw={500}>
                    {fieldWords(subject_type, name)}
                  </Table.Th>
                  <Table.Td style={ANYWHERE}>{valueWords(subject_type, name, value)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {names.length === 0 && !about && <Text size="sm">{t('entry.noDetails')}</Text>}
      <Group gap="xs">
        {entry.via === 'console' && (
          <ButtonLink
            to="/audit"
            search={{ user_id: entry.user_id }}
            variant="default"
            size="xs"
            onClick={onLeave}
          >
            {t('entry.onlyUser')}
          </ButtonLink>
        )}
        {entry.api_key_id !== null && (
          <ButtonLink
            to="/audit"
            search={{ api_key_id: entry.api_key_id }}
            variant="default"
            size="xs"
            onClick={onLeave}
          >
            {t('entry.onlyKey')}
          </ButtonLink>
        )}
        {subject_id !== null && (
          <ButtonLink
            to="/audit"
            search={{ subject: `${subject_type}:${subject_id}` }}
            variant="default"
            size="xs"
            onClick={onLeave}
          >
            {t('entry.onlySubject')}
          </ButtonLink>
        )}
      </Group>
    </Stack>
  );
}
