import { Button, Group, getDefaultZIndex, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../format.ts';
import { useEscape } from '../forms/use-escape.ts';

export interface Question {
  title: string;
  body: ReactNode;
  /** The label of the confirm button: "Delete 3 licenses". */
  action: string;
  isDangerous?: boolean;
  /** A number that the user must type to confirm an irreversible action on many records. */
  typed?: number;
}

interface Props {
  question: Question;
  isOpen: boolean;
  onClose: (isConfirmed: boolean) => void;
}

/** Asks before an action. */
export function ConfirmDialog({ question, isOpen, onClose }: Props) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState(question);
  if (asked !== question) {
    setAsked(question);
    setTyped('');
  }
  useEscape(isOpen, () => onClose(false));
  const { title, body, action, isDangerous, typed: number } = question;
  return (
    <Modal
      opened={isOpen}
      onClose={() => onClose(false)}
      closeOnEscape={false}
      title={title}
      // Above the dialog or drawer that opened it.
      zIndex={getDefaultZIndex('popover')}
    >
      <Stack>
        <Text size="sm" component="div">
          {body}
        </Text>
        {number !== undefined && (
          <TextInput
            label={t('typeNumber', { number: formatNumber(number) })}
            inputMode="numeric"
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => onClose(false)} data-autofocus>
            {t('cancel')}
          </Button>
          <Button
            color={isDangerous ? 'red.8' : undefined}
            // Accept the number with separators too, as it is displayed: 1,000 or 1.000.
            disabled={number !== undefined && typed.replace(/[\s.,’']/g, '') !== String(number)}
            onClick={() => onClose(true)}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
