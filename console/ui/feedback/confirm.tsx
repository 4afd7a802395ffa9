import { Button, Group, getDefaultZIndex, Modal, Stack, Text, TextInput } from '@mantine/core';
import { createContext, type ReactNode, use, useCallback, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../format.ts';
import { useEscape } from '../forms/use-escape.ts';

interface Question {
  title: string;
  body: ReactNode;
  /** The label of the confirm button: "Delete 3 licenses". */
  action: string;
  isDangerous?: boolean;
  /** A number that must be typed first, for what cannot be undone and concerns many. */
  typed?: number;
}
type Confirm = (question: Question) => Promise<boolean>;

const ConfirmContext = createContext<Confirm | null>(null);

/** Asks before an action: `if (await confirm({ title, body, action, isDangerous: true }))`. */
export function useConfirm(): Confirm {
  const confirm = use(ConfirmContext);
  if (!confirm) throw new Error('useConfirm outside of a ConfirmProvider');
  return confirm;
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const [question, setQuestion] = useState<Question | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const answer = useRef<(isConfirmed: boolean) => void>(() => {});
  const confirm = useCallback<Confirm>((newQuestion) => {
    answer.current(false);
    setQuestion(newQuestion);
    setTyped('');
    setOpen(true);
    return new Promise((resolve) => {
      answer.current = resolve;
    });
  }, []);
  const close = (isConfirmed: boolean) => {
    setOpen(false);
    answer.current(isConfirmed);
  };
  useEscape(isOpen, () => close(false));
  const number = question?.typed;
  return (
    <ConfirmContext value={confirm}>
      {children}
      <Modal
        opened={isOpen}
        onClose={() => close(false)}
        closeOnEscape={false}
        title={question?.title}
        // Above the dialog or drawer that opened it.
        zIndex={getDefaultZIndex('popover')}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        <Stack>
          <Text size="sm" component="div">
            {question?.body}
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
            <Button variant="default" onClick={() => close(false)} data-autofocus>
              {t('cancel')}
            </Button>
            <Button
              color={question?.isDangerous ? 'red.8' : undefined}
              // Also as it is shown: 1,000 or 1.000.
              disabled={number !== undefined && typed.replace(/[\s.,’']/g, '') !== String(number)}
              onClick={() => close(true)}
            >
              {question?.action}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </ConfirmContext>
  );
}
