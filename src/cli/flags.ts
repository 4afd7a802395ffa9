import type { Command } from 'commander';
import {
  bad,
  type Changes,
  type Created,
  type Field,
  integer,
  oneOf,
  oneOrMany,
  optional,
  parameterName,
  readCreate,
  readUpdate,
  type Shape,
} from '../domain/fields.ts';
import type { PageById } from '../store/store.ts';
import { paramsOf } from '../words/problems.ts';
import { Failure, invalidValues } from './failure.ts';
import { flagOfParameter } from './names.ts';
import type { Given } from './settings.ts';

/** What the help says of each value of a shape: its placeholder, its meaning, and whether it may be given repeatedly. */
export type Meanings<S extends Shape> = { readonly [K in keyof S]: Meaning };
type Meaning = readonly [value: string, meaning: string, repeated?: 'repeated'];

function addFlag(command: Command, name: string, [value, meaning, repeated]: Meaning): void {
  const flag = value === '' ? flagOfParameter(name) : `${flagOfParameter(name)} <${value}>`;
  if (repeated) command.option(flag, meaning, collect);
  else command.option(flag, meaning);
}
const collect = (value: string, earlier: readonly string[] = []): string[] => [...earlier, value];

/** A flag for each value of a shape; whether it is required is said by the shape when it is read. */
export function addShapeFlags<S extends Shape>(command: Command, shape: S, meanings: Meanings<S>): Command {
  for (const name of Object.keys(shape)) addFlag(command, name, meanings[name as keyof S]);
  return command;
}

/** Flags as parameters by their names on the wire, so that one set of rules reads both. */
export const parametersOf = (shape: Shape, given: Given): Record<string, unknown> =>
  Object.fromEntries(
    Object.keys(shape).flatMap((name) =>
      given[name] === undefined ? [] : [[parameterName(name), given[name]]],
    ),
  );

/**
 * The values of a shape out of flags.
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
 * Flags with an empty value that their field does not take. On the wire these count as not sent; in a shell they are
 * mostly a variable that is not set, and `--products "$PRODUCTS"` must not make a key for all products.
 */
function emptyFlags(shape: Shape, given: Given): Record<string, string> {
  const empty = Object.entries(shape).filter(([name, { field }]) => given[name] === '' && !field.read('').ok);
  return Object.fromEntries(empty.map(([name]) => [parameterName(name), 'must not be empty.']));
}

/** A flag for each value of a shape, and --clear for those that can be removed. */
export function addChangeFlags<S extends Shape>(command: Command, shape: S, meanings: Meanings<S>): Command {
  for (const name of Object.keys(shape)) {
    const [value, meaning, ...repeated] = meanings[name as keyof S];
    // What is not given stays as it is.
    addFlag(command, name, [value, meaning.replace(/ \(default: .*\)$/, ''), ...repeated]);
  }
  const names = Object.keys(clearableOf(shape)).join(', ');
  return command.option('--clear <names>', `Remove values, separated by commas: ${names}`);
}

/**
 * What to change of a record, out of flags.
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
    // On the wire this clears; in a shell it is mostly a variable that is not set.
    ...Object.fromEntries(empty.map((name) => [name, 'must not be empty; --clear removes values.'])),
  };
  if (!read.ok || Object.keys(invalid).length > 0) throw invalidValues(invalid);
  return read.value;
}

/** @throws Failure where no flag says what to change */
export function refuseNoChange(changes: object): void {
  if (Object.keys(changes).length === 0) throw new Failure(2, 'usage', 'Name what to change, with a flag.');
}

/** What can be removed: names of values by those of their flags, without the dashes. */
const clearableOf = (shape: Shape): Record<string, string> =>
  Object.fromEntries(
    Object.entries(shape).flatMap(([name, { clearable }]) =>
      clearable ? [[flagOfParameter(name).slice(2), name]] : [],
    ),
  );

/** A list whose values are separated by commas, in one flag or in several. */
export const separated = <T>(list: Field<T>): Field<T> => ({
  schema: list.schema,
  read: (value) => list.read([value].flat().flatMap(parts)),
});
const parts = (value: unknown): unknown[] =>
  typeof value === 'string' ? value.split(',').map((one) => one.trim()) : [value];

/** Values of a field, separated by commas; of several it is told which is none. */
export const commaSeparated = <T>({ schema, read }: Field<T>): Field<readonly T[]> =>
  separated(
    oneOrMany({
      schema,
      read(value) {
        const one = read(value);
        return one.ok ? one : bad('bad_list_value', { problem: one.problem, value: String(value) });
      },
    }),
  );

const LIMIT = 30;
export const pageShape = {
  limit: optional(integer({ min: 1, max: 1000 })),
  page: optional(integer({ min: 1 })),
};
export const PAGE_MEANINGS: Meanings<typeof pageShape> = {
  limit: ['n', `At most this many, 1 to 1000 (default: ${LIMIT})`],
  page: ['n', 'The n-th so many (default: 1)'],
};

export interface Paging extends PageById {
  page: number;
}

export function pagingOf(given: Given): Paging {
  const { limit, page } = readFlags(pageShape, given);
  const [size, number] = [limit ?? LIMIT, page ?? 1];
  return { page: number, limit: size, offset: (number - 1) * size, before: null };
}

/** Flags that only count together with another. */
export function refuseFlags(given: Given, names: readonly string[], reason: string): void {
  const used = names.filter((name) => given[name] !== undefined);
  if (used.length === 0) return;
  const flags = used.map(flagOfParameter).join(', ');
  throw new Failure(2, 'usage', `${flags} ${reason}.`);
}
