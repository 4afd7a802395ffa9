import { Button, Group, getDefaultZIndex, Modal, Stack, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { fieldWords, valueWords } from '../change-words.ts';
import type { Choice, Conflict } from './conflicting.ts';
import { useEscape } from './use-escape.ts';

interface Props {
  isOpen: boolean;
  conflict: Conflict;
  onChoose: (choice: Choice) => void;
}

/** Shows the values of two people, and asks which to keep. */
export default function ConflictDialog({ isOpen, conflict, onChoose }: Props) {
  const { t } = useTranslation();
  useEscape(isOpen, () => onChoose(null));
  return (
    <Modal
      opened={isOpen}
      onClose={() => onChoose(null)}
      closeOnEscape={false}
      title={t('conflict.title')}
      size="lg"
      // Above the form that is saved.
      zIndex={getDefaultZIndex('popover')}
    >
      <Stack>
        <Text size="sm">{t('conflict.body')}</Text>
        <Fields {...conflict} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => onChoose(null)} data-autofocus>
            {t('conflict.back')}
          </Button>
          <Button variant="default" onClick={() => onChoose('theirs')}>
            {t('conflict.takeTheirs')}
          </Button>
          <Button onClick={() => onChoose('mine')}>{t('conflict.keepMine')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Both values of each field. */
function Fields({ kind, fields, mine, theirs }: Conflict) {
  const { t } = useTranslation();
  return (
    <Table withRowBorders={false} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('conflict.field')}</Table.Th>
          <Table.Th>{t('conflict.mine')}</Table.Th>
          <Table.Th>{t('conflict.theirs')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {fields.map((name) => (
          <Table.Tr key={name}>
            <Table.Th scope="row">{fieldWords(kind, name)}</Table.Th>
            <Table.Td>{valueWords(kind, name, likeOf(mine[name], theirs[name]))}</Table.Td>
            <Table.Td>{valueWords(kind, name, theirs[name])}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Forms hold numbers as strings: converts a string to a number if the example is a number. */
const likeOf = (value: unknown, example: unknown): unknown =>
  typeof example === 'number' && typeof value === 'string' && value !== '' ? Number(value) : value;
