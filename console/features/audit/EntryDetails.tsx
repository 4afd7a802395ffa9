import { Drawer, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { actorText } from '../../ui/actor-text.ts';
import { fieldWords, valueWords } from '../../ui/change-words.ts';
import { type Fact, FactTable } from '../../ui/FactTable.tsx';
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
  const facts: Fact[] = [
    [t('column.at'), `${formatTime(entry.at)} (${entry.at} UTC)`],
    [t('column.who'), actorText(t, entry)],
    [t('column.via'), t(`via.${entry.via}`)],
    [t('column.origin'), entry.origin ?? '–'],
    [t('column.subject'), <SubjectLink key="subject" {...entry} />],
  ];
  const similar = [
    entry.via === 'console' && { text: t('entry.onlyUser'), search: { user_id: entry.user_id } },
    entry.api_key_id !== null && { text: t('entry.onlyKey'), search: { api_key_id: entry.api_key_id } },
    subject_id !== null && {
      text: t('entry.onlySubject'),
      search: { subject: `${subject_type}:${subject_id}` },
    },
  ].filter((one) => one !== false);
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {t('entry.title', { id: entry.id })}
      </Text>
      <FactTable facts={facts} />
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
        {similar.map(({ text, search }) => (
          <ButtonLink key={text} to="/audit" search={search} variant="default" size="xs" onClick={onLeave}>
            {text}
          </ButtonLink>
        ))}
      </Group>
    </Stack>
  );
}
