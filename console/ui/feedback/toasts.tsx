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
 * @param undo applies what was before; a text that it answers is said beside that it is done, what it throws is shown, and it
 *   can be tried again
 * @param forMs how long that is offered
 */
export function undoToast(message: string, undo: () => Promise<unknown>, forMs = 10_000): void {
  const id = notifications.show({
    color: 'verdigris',
    withBorder: true,
    autoClose: forMs,
    ...closing(),
    message: content(),
  });
  function content() {
    return <UndoMessage message={message} undo={undo} onBegin={stay} onDone={() => notifications.hide(id)} />;
  }
  /** It must not be gone when what it does fails. */
  function stay() {
    notifications.update({ id, autoClose: false, message: content() });
  }
}

interface UndoProps {
  message: string;
  undo: () => Promise<unknown>;
  onBegin: () => void;
  onDone: () => void;
}

function UndoMessage({ message, undo, onBegin, onDone }: UndoProps) {
  const [isUndoing, setUndoing] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  const onClick = async () => {
    setUndoing(true);
    onBegin();
    try {
      const more = await undo();
      doneToast(typeof more === 'string' ? `${t()('undone')}. ${more}` : t()('undone'));
      onDone();
    } catch (error) {
      errorToast(error);
      setFailed(true);
      setUndoing(false);
    }
  };
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm">{message}</Text>
      <Button size="compact-sm" variant="default" loading={isUndoing} onClick={onClick}>
        {t()(hasFailed ? 'retry' : 'undo')}
      </Button>
    </Group>
  );
}
