import { Button, Group, getDefaultZIndex, Modal, Stack, Table, Text } from '@mantine/core';
import { createContext, type ReactNode, use, useCallback, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isConflict } from '../../client/errors.ts';
import { fieldWords, type Kind, valueWords } from '../change-words.ts';
import { conflictsOf, type Values } from './conflicting.ts';
import { useEscape } from './use-escape.ts';

interface Conflict {
  kind: Kind;
  fields: string[];
  mine: Values;
  theirs: Values;
}
/** Null to go back to the form. */
type Choice = 'mine' | 'theirs' | null;
type Ask = (conflict: Conflict) => Promise<Choice>;

const ConflictContext = createContext<Ask | null>(null);

interface Edited<Record_> {
  kind: Kind;
  /** The record when the form was opened; null in a form that creates one. */
  record: Record_ | null;
  /** Reads the record as it is now. */
  load: () => Promise<Record_>;
  /** Sends changes of this version of the record. */
  send: (changes: never, etag: string) => Promise<Record_>;
}

/** Conflicts in a row after which something is wrong. */
const TRIES = 5;

/**
 * Returns a function that saves changes by wire name. Changes of others to other fields stay. If others have changed the
 * same fields, it shows both values and asks which to keep.
 * @returns of the function: the saved record, or null if the user went back to the form
 */
export function useSaveMerged<Record_ extends { etag: string }>(edited: Edited<Record_>) {
  const ask = use(ConflictContext);
  // The query of the page may fetch a later version while the form is open.
  const [opened] = useState(edited.record);
  return async (changes: object): Promise<Record_ | null> => {
    const { kind, load, send } = edited;
    if (opened === null) throw new Error('there is no record to change');
    let known = opened;
    let mine: Values = { ...changes };
    for (let tries = 1; ; tries++) {
      try {
        return await send(mine as never, known.etag);
      } catch (error) {
        if (!isConflict(error) || tries === TRIES) throw error;
        const theirs = await load();
        const fields = conflictsOf(known, theirs, mine);
        const choice =
          fields.length > 0 ? await ask?.({ kind, fields, mine, theirs: { ...theirs } }) : 'mine';
        if (!choice) return null;
        if (choice === 'theirs')
          mine = Object.fromEntries(Object.entries(mine).filter(([name]) => !fields.includes(name)));
        if (Object.keys(mine).length === 0) return theirs;
        known = theirs;
      }
    }
  };
}

export function ConflictProvider({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [isOpen, setOpen] = useState(false);
  const answer = useRef<(choice: Choice) => void>(() => {});
  const ask = useCallback<Ask>((found) => {
    answer.current(null);
    setConflict(found);
    setOpen(true);
    return new Promise((resolve) => {
      answer.current = resolve;
    });
  }, []);
  const close = (choice: Choice) => {
    setOpen(false);
    answer.current(choice);
  };
  useEscape(isOpen, () => close(null));
  return (
    <ConflictContext value={ask}>
      {children}
      <Modal
        opened={isOpen}
        onClose={() => close(null)}
        closeOnEscape={false}
        title={t('conflict.title')}
        size="lg"
        // Above the form that is saved.
        zIndex={getDefaultZIndex('popover')}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        <Stack>
          <Text size="sm">{t('conflict.body')}</Text>
          {conflict && <Fields {...conflict} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => close(null)} data-autofocus>
              {t('conflict.back')}
            </Button>
            <Button variant="default" onClick={() => close('theirs')}>
              {t('conflict.takeTheirs')}
            </Button>
            <Button onClick={() => close('mine')}>{t('conflict.keepMine')}</Button>
          </Group>
        </Stack>
      </Modal>
    </ConflictContext>
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

/** Fields hold numbers as text. */
const likeOf = (value: unknown, example: unknown): unknown =>
  typeof example === 'number' && typeof value === 'string' && value !== '' ? Number(value) : value;
