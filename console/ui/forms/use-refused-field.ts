import { type FormEvent, useEffect, useRef } from 'react';

/** An invalid field, or the first field of an invalid group. */
const INVALID = '[aria-invalid="true"], [data-invalid="true"] input';

/**
 * Focuses the first invalid field of a form after it was submitted. In a long form, the field and its error may be out of
 * view.
 * @returns `note` for the form's submit, and `forget` for its input: typing must never move the focus
 */
export function useRefusedField(isSending: boolean) {
  const submitted = useRef<HTMLFormElement | null>(null);
  useEffect(() => {
    const field = !isSending && submitted.current?.querySelector<HTMLElement>(INVALID);
    if (!field) return;
    submitted.current = null;
    field.focus();
  });
  const note = ({ currentTarget }: FormEvent<HTMLFormElement>): void => {
    submitted.current = currentTarget;
  };
  const forget = (): void => {
    submitted.current = null;
  };
  return { note, forget };
}
