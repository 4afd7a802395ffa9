import type { FormEvent } from 'react';

/**
 * The submitted values by field name. Read from the DOM, because password managers may fill in fields without events.
 */
export function formValues(event: FormEvent<HTMLFormElement>): Record<string, string> {
  event.preventDefault();
  const entries = [...new FormData(event.currentTarget)];
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'string' ? value : '']));
}

/** The values of a form that edits these fields of a record; '' for null. */
export const valuesFor = <Record_ extends object, Name extends keyof Record_>(
  record: Record_,
  names: readonly Name[],
) =>
  Object.fromEntries(names.map((name) => [name, record[name] ?? ''])) as {
    [N in Name]: null extends Record_[N] ? NonNullable<Record_[N]> | '' : Record_[N];
  };

/**
 * The changed fields of a form. Sending only these keeps concurrent changes by others.
 * @param before the values when the form was opened
 */
export const changesOf = <Values extends object>(before: Values, values: Values): Partial<Values> =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Values]),
    ),
  ) as Partial<Values>;
