import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import i18next from 'i18next';
import { useState } from 'react';
import { errorText, requestIdOf } from './error-text.ts';

/** Texts are looked up when they are shown: the language may change. */
const t = () => i18next.getFixedT(i18next.language, 'common');

/** The cross of a toast, which is nothing to a screen reader without its name. */
const closing = () => ({ closeButtonProps: { 'aria-label': t()('close') } });

/** Says that something is done. */
export const doneToast = (message: string): void =>
  void notifications.show({ message, color: 'verdigris', withBorder: true, ...closing() });

/** Says that something failed, and by which request. */
export function errorToast(error: unknown): void {
  const requestId = requestIdOf(error);
  notifications.show({
    color: 'red',
    withBorder: true,
    autoClose: false,
    role: 'alert',
    ...closing(),
    title: t()('error.title'),
    message: errorText(error, t()) + (requestId ? ` (${t()('error.requestId')} ${requestId})` : ''),
  });
}

/**
 * Says that something is done, with a button that takes it back.
 * @param undo applies what was before; what it throws is shown
 */
export function undoToast(message: string, undo: () => Promise<unknown>): void {
  const id = notifications.show({
    color: 'verdigris',
    withBorder: true,
    autoClose: 10_000,
    ...closing(),
    message: <UndoMessage message={message} undo={undo} onDone={() => notifications.hide(id)} />,
  });
}

interface UndoProps {
  message: string;
  undo: () => Promise<unknown>;
  onDone: () => void;
}

function UndoMessage({ message, undo, onDone }: UndoProps) {
  const [isUndoing, setUndoing] = useState(false);
  const onClick = async () => {
    setUndoing(true);
    await undo().then(() => doneToast(t()('undone')), errorToast);
    onDone();
  };
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm">{message}</Text>
      <Button size="compact-sm" variant="default" loading={isUndoing} onClick={onClick}>
        {t()('undo')}
      </Button>
    </Group>
  );
}
