import type { FormEvent } from 'react';

/**
 * What stands in the fields of a form when it is sent, by their names. Read from the form itself, so that what a password
 * manager has put there counts, too.
 */
export function formValues(event: FormEvent<HTMLFormElement>): Record<string, string> {
  event.preventDefault();
  const entries = [...new FormData(event.currentTarget)];
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'string' ? value : '']));
}

/**
 * What was changed in a form, which is all that is to be sent: what somebody else has changed meanwhile stays.
 * @param before as it was when the form was opened, not as it is now
 */
export const changesOf = <Values extends object>(before: Values, values: Values): Partial<Values> =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Values]),
    ),
  ) as Partial<Values>;
