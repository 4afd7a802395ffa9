import { useCallback, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../feedback/confirm.tsx';

/** What stands in the fields of a form, named or not. */
const contentOf = (form: HTMLFormElement): string =>
  JSON.stringify(
    [...form.querySelectorAll<HTMLInputElement>('input, textarea, select')].map(({ type, value, checked }) =>
      type === 'checkbox' || type === 'radio' ? checked : value,
    ),
  );

/** At `input` what was there before is gone. */
const TOUCHES = ['pointerdown', 'keydown', 'input'];

interface More {
  /** Something else would be lost: a file that was chosen, an upload that is under way. */
  isChanged?: boolean;
  /** What would be lost, where it is not what was typed. */
  body?: string;
}

/**
 * Closes a form, but asks first where something was changed in it.
 * @returns `ref` for the form, and what a press of Escape, a click beside it and its cross do
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
    // When it has been filled with what is to be changed.
    const frame = requestAnimationFrame(() => {
      before.current = contentOf(node);
    });
    // Fields may come later still, with what the server answers: what counts is what stands there at the first touch.
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
