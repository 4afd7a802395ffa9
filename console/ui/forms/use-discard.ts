import { useCallback, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../feedback/confirm.tsx';

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** All fields of a form, named or not, but no switches between its parts. */
const fieldsOf = (form: HTMLFormElement): Field[] => [
  ...form.querySelectorAll<Field>('input:not(.mantine-SegmentedControl-input), textarea, select'),
];
const contentOf = (field: Field): unknown =>
  field instanceof HTMLInputElement && /^(checkbox|radio)$/.test(field.type) ? field.checked : field.value;

/** An `input` event would be too late: the old value is gone by then. */
const TOUCHES = ['pointerdown', 'keydown', 'focusin', 'input'];

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
  const values = useRef(new Map<Field, { first: unknown; last: unknown }>());
  const isTouched = useRef(false);
  const ref = useCallback((node: HTMLFormElement) => {
    form.current = node;
    values.current = new Map();
    isTouched.current = false;
    const note = () => {
      for (const field of fieldsOf(node)) {
        const last = contentOf(field);
        values.current.set(field, { first: values.current.get(field)?.first ?? last, last });
      }
    };
    // After the form has been filled with the record.
    const frame = requestAnimationFrame(note);
    const touch = ({ type }: Event) => {
      // The focus that a dialog gives is no touch.
      if (type === 'focusin' && !isTouched.current) return;
      // Values may arrive later with a server answer, so compare with those at the first interaction.
      if (!isTouched.current && type !== 'input') values.current = new Map();
      isTouched.current = true;
      note();
    };
    for (const name of TOUCHES) node.addEventListener(name, touch, true);
    return () => {
      cancelAnimationFrame(frame);
      for (const name of TOUCHES) node.removeEventListener(name, touch, true);
      form.current = null;
    };
  }, []);
  const close = async () => {
    // Fields that the form no longer shows count with their last value: going back to their part brings it back.
    const isTyped =
      isTouched.current &&
      [...values.current].some(
        ([field, { first, last }]) => (field.isConnected ? contentOf(field) : last) !== first,
      );
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
