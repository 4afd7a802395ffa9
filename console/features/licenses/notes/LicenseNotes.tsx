import { Badge, Button, Card, Group, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { NotebookPen } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../app/session.ts';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { AnchorLink } from '../../../ui/links.tsx';
import { NotesForm } from './NotesForm.tsx';
import { type Notes, notesQuery, rowsOf } from './queries.ts';

/** Shows the tags, the note and the metadata of a license. */
export function LicenseNotes({ licenseId }: { licenseId: number }) {
  const { t } = useTranslation('notes');
  const { can } = useSession();
  const { data: notes, error, refetch } = useQuery(notesQuery(licenseId));
  const [isEditing, setEditing] = useState(false);
  if (!notes)
    return error ? (
      <ErrorState error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton height={EMPTY_HEIGHT} />
    );
  const isEmpty = notes.note === null && notes.tags.length === 0 && rowsOf(notes.meta).length === 0;
  return (
    <Card component="section" aria-label={t('title')} withBorder padding="md">
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        {isEmpty ? (
          <Text size="sm" c="dimmed" lh="20px" my={5}>
            {t('empty')}
          </Text>
        ) : (
          <Shown notes={notes} />
        )}
        {can('licenses.write') && (
          <Button
            size="xs"
            variant="default"
            style={{ flexShrink: 0 }}
            leftSection={<NotebookPen size={14} />}
            onClick={() => setEditing(true)}
          >
            {t(isEmpty ? 'add' : 'edit')}
          </Button>
        )}
      </Group>
      {isEditing && <NotesForm licenseId={licenseId} notes={notes} onClose={() => setEditing(false)} />}
    </Card>
  );
}

/** The height of the card without notes, in pixels. */
const EMPTY_HEIGHT = 64;

function Shown({ notes: { note, tags, meta } }: { notes: Notes }) {
  const { t } = useTranslation('notes');
  const rows = rowsOf(meta).map((row, id) => ({ ...row, id }));
  return (
    <Stack gap="sm" style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
      {tags.length > 0 && (
        <Group gap={6} component="ul" m={0} p={0} style={{ listStyle: 'none' }} aria-label={t('tags')}>
          {tags.map((tag) => (
            <li key={tag}>
              <AnchorLink to="/licenses" search={{ tag }}>
                <Badge variant="light" tt="none" style={{ cursor: 'pointer' }}>
                  {tag}
                </Badge>
              </AnchorLink>
            </li>
          ))}
        </Group>
      )}
      {note !== null && (
        <Text size="sm" style={{ whiteSpace: 'pre-wrap' }} maw="80ch">
          {note}
        </Text>
      )}
      {rows.length > 0 && (
        <Table withRowBorders={false} verticalSpacing={2} aria-label={t('meta')} w="auto">
          <Table.Tbody>
            {rows.map(({ id, name, value }) => (
              <Table.Tr key={id}>
                <Table.Th scope="row" c="dimmed" fw={600} fz="xs" pl={0}>
                  {name}
                </Table.Th>
                <Table.Td>{value || '–'}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}
