import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { t } from 'i18next';
import { useState } from 'react';
import { errorText, requestIdOf, titleOf } from './error-text.ts';

/** Shows a success. */
export const doneToast = (message: string): void =>
  void notifications.show({ message, color: 'verdigris', withBorder: true });

/** Shows an error with its request ID. */
export function errorToast(error: unknown): void {
  const requestId = requestIdOf(error);
  notifications.show({
    color: 'red',
    withBorder: true,
    autoClose: false,
    role: 'alert',
    title: titleOf(error),
    message: errorText(error) + (requestId ? ` (${t('error.requestId')} ${requestId})` : ''),
  });
}

/**
 * Shows a success message with an undo button.
 * @param undo restores the previous state. If it returns a text, the result shows the text; if it throws, the user can
 *   retry
 * @param forMs how many milliseconds to offer the undo; no limit once the button has had the focus
 */
export function undoToast(message: string, undo: () => Promise<unknown>, forMs = 30_000): void {
  const id = notifications.show({
    color: 'verdigris',
    withBorder: true,
    autoClose: forMs,
    message: content(),
  });
  function content() {
    return <UndoMessage message={message} undo={undo} stay={stay} onDone={() => notifications.hide(id)} />;
  }
  /** Keeps the toast open: the user is about to undo, or the undo runs, which may fail. */
  function stay() {
    notifications.update({ id, autoClose: false, message: content() });
  }
}

interface UndoProps {
  message: string;
  undo: () => Promise<unknown>;
  stay: () => void;
  onDone: () => void;
}

function UndoMessage({ message, undo, stay, onDone }: UndoProps) {
  const [isUndoing, setUndoing] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  const onClick = async () => {
    setUndoing(true);
    stay();
    try {
      const more = await undo();
      doneToast(typeof more === 'string' ? `${t('undone')}. ${more}` : t('undone'));
      onDone();
    } catch (error) {
      errorToast(error);
      setFailed(true);
      setUndoing(false);
    }
  };
  return (
    <Group justify="space-between" wrap="nowrap" onFocus={stay}>
      <Text size="sm">{message}</Text>
      <Button
        size="compact-sm"
        variant="default"
        loading={isUndoing}
        onClick={onClick}
        style={{ flexShrink: 0 }}
      >
        {t(hasFailed ? 'retry' : 'undo')}
      </Button>
    </Group>
  );
}
