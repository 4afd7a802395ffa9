import { useState } from 'react';

/** What is wrong with a field, or nothing: `!email && t('emailMissing')`. */
type Fault = string | false | undefined;

/**
 * What the page itself finds wrong with the fields of a form, by their names, to be said beside them in the reader's
 * language; what browsers say is in theirs. `check` goes to the first such field, and tells whether there is none.
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
