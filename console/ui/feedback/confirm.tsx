import { Button, Group, getDefaultZIndex, Modal, Stack, Text } from '@mantine/core';
import { createContext, type ReactNode, use, useCallback, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useEscape } from '../forms/use-escape.ts';

interface Question {
  title: string;
  body: ReactNode;
  /** The label of the confirm button: "Delete 3 licenses". */
  action: string;
  isDangerous?: boolean;
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
  const answer = useRef<(isConfirmed: boolean) => void>(() => {});
  const confirm = useCallback<Confirm>((newQuestion) => {
    answer.current(false);
    setQuestion(newQuestion);
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
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => close(false)} data-autofocus>
              {t('cancel')}
            </Button>
            <Button color={question?.isDangerous ? 'red.8' : undefined} onClick={() => close(true)}>
              {question?.action}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </ConfirmContext>
  );
}
