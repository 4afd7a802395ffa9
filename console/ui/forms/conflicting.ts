import type { Kind } from '../change-words.ts';

/** Values of a record by wire name. */
export type Values = Readonly<Record<string, unknown>>;

/** Fields of a record that two people have changed. */
export interface Conflict {
  kind: Kind;
  fields: string[];
  mine: Values;
  theirs: Values;
}
/** How to resolve a conflict; null to go back to the form. */
export type Choice = 'mine' | 'theirs' | null;

/** Forms hold numbers as strings, and null as ''. */
const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');

/** Returns the fields that another user has also changed, to a different value. */
export function conflictsOf(before: object, theirs: object, mine: Values): string[] {
  const was = before as Values;
  const is = theirs as Values;
  return Object.keys(mine).filter(
    (name) => textOf(is[name]) !== textOf(was[name]) && textOf(is[name]) !== textOf(mine[name]),
  );
}
