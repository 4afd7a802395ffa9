import { type Command, Option } from 'commander';
import {
  bad,
  type Changes,
  type Created,
  type Field,
  flag,
  integer,
  MAX_REFERENCE,
  oneOf,
  oneOrMany,
  optional,
  parameterName,
  readCreate,
  readUpdate,
  type Shape,
  separated,
  text,
} from '../domain/fields.ts';
import type { PageById } from '../store/store.ts';
import { paramsOf } from '../words/problems.ts';
import { Failure, flagOfParameter, invalidValues } from './failure.ts';
import type { Given } from './run.ts';

/** The help of a flag: a placeholder for its value ('' if it has none), and its meaning ('' hides the flag). */
type Help = readonly [value: string, meaning: string, repeated?: 'repeated'];
/** A shape whose values are flags. */
export type Flags = { readonly [name: string]: Shape[string] & { readonly help: Help } };

/** Makes flags of a shape and the help of each value. */
export const flagsOf = <S extends Shape>(shape: S, help: { readonly [K in keyof S]: Help }) =>
  Object.fromEntries(
    Object.entries(shape).map(([name, entry]) => [name, { ...entry, help: help[name] }]),
  ) as unknown as { readonly [K in keyof S]: S[K] & { readonly help: Help } };

/** Makes a flag without a value. */
export const toggle = (meaning: string) => ({ ...optional(flag), help: ['', meaning] as const });

/** A flag, and the values that a shell completes. */
export class Flag extends Option {
  readonly names: readonly string[];
  constructor(flags: string, meaning: string, names: readonly string[] = []) {
    super(flags, meaning);
    this.names = names;
  }
}

/**
 * Adds the flags to the command. `define` reads them with `readFlags`, which checks that required ones are given.
 * @param defaults by parameter name: a flag with a default is not required
 */
export function addFlags(
  command: Command,
  flags: Flags,
  defaults: Readonly<Record<string, unknown>> = {},
): void {
  for (const [name, { field, help, required }] of Object.entries(flags)) {
    const [value, meaning, repeated] = help;
    const dashed = flagOfParameter(name);
    const told = required && !(parameterName(name) in defaults) ? `${meaning} (required)` : meaning;
    const option = new Flag(value === '' ? dashed : `${dashed} <${value}>`, told, field.names);
    if (repeated) option.argParser((one: string, earlier: readonly string[] = []) => [...earlier, one]);
    command.addOption(option.hideHelp(meaning === ''));
  }
}

/** Returns flags as parameters by their names on the wire, so that the rules of the API apply to them. */
export const parametersOf = (shape: Shape, given: Given): Record<string, unknown> =>
  Object.fromEntries(
    Object.keys(shape).flatMap((name) =>
      given[name] === undefined ? [] : [[parameterName(name), given[name]]],
    ),
  );

/**
 * Reads the values of a shape from flags.
 * @param defaults by parameter name
 * @throws Failure that names the flags
 */
export function readFlags<S extends Shape>(
  shape: S,
  given: Given,
  defaults: Readonly<Record<string, unknown>> = {},
): Created<S> {
  const read = readCreate(shape, { ...defaults, ...parametersOf(shape, given) });
  const invalid = { ...(read.ok ? {} : paramsOf(read.problems)), ...emptyFlags(shape, given) };
  if (!read.ok || Object.keys(invalid).length > 0) throw invalidValues(invalid);
  return read.value;
}

/**
 * Refuses empty flags, unless their field accepts an empty value. The API treats an empty value as absent. In a shell, an
 * empty value usually comes from an unset variable, and `--products "$PRODUCTS"` must not make a key for all products.
 */
function emptyFlags(shape: Shape, given: Given): Record<string, string> {
  const empty = Object.entries(shape).filter(([name, { field }]) => given[name] === '' && !field.read('').ok);
  return Object.fromEntries(empty.map(([name]) => [parameterName(name), 'must not be empty.']));
}

/** Adds the flags, without the defaults in their help, and --clear for values that can be removed. */
export function addChangeFlags(command: Command, flags: Flags): void {
  const changes = Object.entries(flags).map(([name, flag]) => {
    const [value, meaning, ...repeated] = flag.help;
    const help = [value, meaning.replace(/ \(default: .*\)$/, ''), ...repeated];
    return [name, { ...flag, required: false, help }];
  });
  addFlags(command, Object.fromEntries(changes));
  const names = Object.keys(clearableOf(flags));
  command.addOption(
    new Flag('--clear <names>', `Remove values, separated by commas: ${names.join(', ')}`, names),
  );
}

/**
 * Reads the changes of a record from flags.
 * @throws Failure that names the flags
 */
export function readChanges<S extends Shape>(shape: S, given: Given): Changes<S> {
  const clearable = clearableOf(shape);
  const { clear } = readFlags({ clear: optional(commaSeparated(oneOf(Object.keys(clearable)))) }, given);
  const cleared = (clear ?? []).map((name) => clearable[name] as string);
  refuseFlags(given, cleared, 'cannot be given together with --clear, which removes it');
  const parameters = parametersOf(shape, given);
  const empty = Object.keys(parameters).filter((name) => parameters[name] === '');
  const read = readUpdate(shape, {
    ...parameters,
    ...Object.fromEntries(cleared.map((name) => [parameterName(name), null])),
  });
  const invalid = {
    ...(read.ok ? {} : paramsOf(read.problems)),
    // The API would clear the value. In a shell, an empty value usually comes from an unset variable.
    ...Object.fromEntries(empty.map((name) => [name, 'must not be empty; --clear removes values.'])),
  };
  if (!read.ok || Object.keys(invalid).length > 0) throw invalidValues(invalid);
  return read.value;
}

/** Refuses a change of nothing. @throws Failure if no flag says what to change */
export function refuseNoChange(changes: object): void {
  if (Object.keys(changes).length === 0) throw new Failure(2, 'usage', 'Name what to change, with a flag.');
}

/** Returns the fields that can be removed, by the names of their flags without the dashes. */
const clearableOf = (shape: Shape): Record<string, string> =>
  Object.fromEntries(
    Object.entries(shape).flatMap(([name, { clearable }]) =>
      clearable ? [[flagOfParameter(name).slice(2), name]] : [],
    ),
  );

/** Refuses flags that need or exclude another flag. @throws Failure if one of them is given */
export function refuseFlags(given: Given, names: readonly string[], reason: string): void {
  const used = names.filter((name) => given[name] !== undefined);
  if (used.length > 0) throw new Failure(2, 'usage', `${used.map(flagOfParameter).join(', ')} ${reason}.`);
}

/** Makes a field of values that are separated by commas. An error names the value that is wrong. */
export const commaSeparated = <T>({ read, ...field }: Field<T>): Field<readonly T[]> =>
  separated(
    oneOrMany({
      ...field,
      read(value) {
        const one = read(value);
        return one.ok ? one : bad('bad_list_value', { problem: one.problem, value: String(value) });
      },
    }),
  );

/** A path of a file or folder. */
export const path = optional(text({ min: 1, max: 4_096 }));

/** How many records a list shows by default. */
export const LIMIT = 30;
export const pageFlags = flagsOf(
  { limit: optional(integer({ min: 1, max: 1000 })), page: optional(integer({ min: 1 })) },
  {
    limit: ['n', `Maximum number of results, 1 to 1000 (default: ${LIMIT})`],
    page: ['n', 'Number of the page (default: 1)'],
  },
);

/** The flags of a list that shows the newest records first. @param by what numbers the records */
export const newestFlags = (what: string, by = 'id') =>
  flagsOf(
    {
      limit: optional(integer({ min: 1, max: 1000 })),
      before: optional(integer({ min: 1, max: MAX_REFERENCE })),
    },
    {
      limit: ['n', `Maximum number of ${what}, 1 to 1000 (default: ${LIMIT})`],
      before: [by, `Only ${what} with a lower ${by}; for the next page, the last ${by} of this one`],
    },
  );

export interface Paging extends PageById {
  page: number;
}

export function pagingOf({ limit, page }: Created<typeof pageFlags>): Paging {
  const [size, number] = [limit ?? LIMIT, page ?? 1];
  return { page: number, limit: size, offset: (number - 1) * size, before: null };
}

/** A page with all records. */
export const ALL = { offset: 0, limit: Number.MAX_SAFE_INTEGER };

/** The forms of a flag that is a point in time, for its help. */
export const DATE_FORMS = '"YYYY-MM-DD HH:MM:SS", YYYY-MM-DD (the start of that day) or RFC 3339';

/** The help of flags for a range of days. */
export const DAYS: { from: Help; to: Help } = {
  from: ['day', 'First day, UTC: YYYY-MM-DD'],
  to: ['day', 'Last day, UTC: YYYY-MM-DD'],
};
