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
