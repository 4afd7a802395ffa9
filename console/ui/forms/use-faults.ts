import { useState } from 'react';

/** The error of a field, or a falsy value: `!email && t('emailMissing')`. */
type Fault = string | false | undefined;

/**
 * Validates a form in the page, because browsers show their messages in their own language. `check` focuses the first
 * invalid field and returns whether all are valid.
 */
export function useFaults() {
  const [faults, setFaults] = useState<Record<string, Fault>>({});
  const check = (form: HTMLFormElement, found: Record<string, Fault>): boolean => {
    setFaults(found);
    const wrong = Object.keys(found).find((name) => found[name]);
    const field = wrong && form.elements.namedItem(wrong);
    if (field instanceof HTMLElement) field.focus();
    return wrong === undefined;
  };
  return { faults, check };
}
