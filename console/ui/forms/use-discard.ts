import { useCallback, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../feedback/confirm.tsx';

/** The values of all fields of a form, named or not. */
const contentOf = (form: HTMLFormElement): string =>
  JSON.stringify(
    [...form.querySelectorAll<HTMLInputElement>('input, textarea, select')].map(({ type, value, checked }) =>
      type === 'checkbox' || type === 'radio' ? checked : value,
    ),
  );

/** An `input` event would be too late: the old value is gone by then. */
const TOUCHES = ['pointerdown', 'keydown', 'input'];

interface More {
  /** Whether something else would be lost: a chosen file, a running upload. */
  isChanged?: boolean;
  /** The question, if something other than input would be lost. */
  body?: string;
}

/**
 * Closes a form, and asks first if it has unsaved changes.
 * @returns `ref` for the form, and the handler for Escape, a click outside and the close button
 */
export function useDiscard(onClose: () => void, { isChanged = false, body }: More = {}) {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const form = useRef<HTMLFormElement | null>(null);
  const before = useRef<string | null>(null);
  const isTouched = useRef(false);
  const ref = useCallback((node: HTMLFormElement) => {
    form.current = node;
    before.current = null;
    isTouched.current = false;
    // After the form has been filled with the record.
    const frame = requestAnimationFrame(() => {
      before.current = contentOf(node);
    });
    // Fields may arrive later with a server answer, so compare with the values at the first interaction.
    const touch = ({ type }: Event) => {
      if (!isTouched.current && type !== 'input') before.current = contentOf(node);
      isTouched.current = true;
    };
    for (const name of TOUCHES) node.addEventListener(name, touch, true);
    return () => {
      cancelAnimationFrame(frame);
      for (const name of TOUCHES) node.removeEventListener(name, touch, true);
      form.current = null;
    };
  }, []);
  const close = async () => {
    const { current } = form;
    const isTyped = isTouched.current && current !== null && contentOf(current) !== before.current;
    const question = {
      title: t('discard.title'),
      body: body ?? t('discard.body'),
      action: t('discard.action'),
      isDangerous: true,
    };
    if ((!isChanged && !isTyped) || (await confirm(question))) onClose();
  };
  return { ref, close: () => void close() };
}
