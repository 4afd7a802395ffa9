import { useBlocker, useRouter } from '@tanstack/react-router';
import { useCallback, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../feedback/confirm.tsx';

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** All fields of a form, with or without a name, except segmented controls, which only switch between parts of the form. */
const fieldsOf = (form: HTMLFormElement): Field[] => [
  ...form.querySelectorAll<Field>('input:not(.mantine-SegmentedControl-input), textarea, select'),
];
const contentOf = (field: Field): unknown =>
  field instanceof HTMLInputElement && /^(checkbox|radio)$/.test(field.type) ? field.checked : field.value;

/** Includes events that come before `input`, at which the old value is already gone. */
const TOUCHES = ['pointerdown', 'keydown', 'focusin', 'input'];

interface More {
  /** Whether the form waits for an answer. It then cannot be closed or left. */
  isSending?: boolean;
  /** Whether closing would lose something other than field values: a chosen file, a running upload. */
  isChanged?: boolean;
  /** The question to ask before something other than field values is lost. */
  body?: string;
  /** Stops work before the question: the work must not finish while the question is open. */
  stop?: () => void;
}

/**
 * Returns the close handler of a form, which asks first if there are unsaved changes. Leaving the page, as with Back, asks the
 * same question.
 * @returns `ref` for the form, and `close` for Escape, a click outside and the close button
 */
export function useDiscard(
  onClose: () => void,
  { isSending = false, isChanged = false, body, stop }: More = {},
) {
  const { t } = useTranslation();
  const { history } = useRouter();
  const confirm = useConfirm();
  const values = useRef(new Map<Field, { first: unknown; last: unknown }>());
  const isTouched = useRef(false);
  const ref = useCallback((node: HTMLFormElement) => {
    values.current = new Map();
    isTouched.current = false;
    const note = () => {
      for (const field of fieldsOf(node)) {
        const last = contentOf(field);
        values.current.set(field, { first: values.current.get(field)?.first ?? last, last });
      }
    };
    // Read the initial values after the form has been filled from the record.
    const frame = requestAnimationFrame(note);
    const touch = ({ type }: Event) => {
      // Opening a dialog focuses a field; that is no user input.
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
      isTouched.current = false;
    };
  }, []);
  // Compare fields that are no longer shown by their last value: they get it back when the user returns to their part of
  // the form.
  const isTyped = () =>
    isTouched.current &&
    [...values.current].some(
      ([field, { first, last }]) => (field.isConnected ? contentOf(field) : last) !== first,
    );
  const isUnsaved = () => isSending || isChanged || isTyped();
  /** Returns whether the form was closed. */
  const close = async (): Promise<boolean> => {
    if (isSending) return false;
    stop?.();
    const question = {
      title: t('discard.title'),
      body: body ?? t('discard.body'),
      action: t('discard.action'),
      isDangerous: true,
    };
    if (isUnsaved() && !(await confirm(question))) return false;
    onClose();
    return true;
  };
  useBlocker({
    shouldBlockFn: async ({ action }) => {
      // A page replaces its own address. A form may replace it with the page of the record that it has created.
      if (action === 'REPLACE' || !isUnsaved()) return false;
      if (action === 'PUSH') return !(await close());
      // Block before asking: the router would lose its place if the user pressed Back again while the question is open.
      void close().then((isClosed) => isClosed && action === 'BACK' && history.back({ ignoreBlocker: true }));
      return true;
    },
    enableBeforeUnload: isUnsaved,
  });
  return { ref, close: () => void close() };
}
