import type { Command } from 'commander';
import {
  type Created,
  type Field,
  type InvalidParams,
  integer,
  oneOrMany,
  optional,
  parameterName,
  readCreate,
  type Shape,
} from '../domain/fields.ts';
import type { Page } from '../store/store.ts';
import { Failure, invalidValues } from './failure.ts';
import { flagOfParameter } from './names.ts';
import type { Given } from './settings.ts';

/** What the help says of each value of a shape: its placeholder, and its meaning. */
export type Meanings<S extends Shape> = {
  readonly [K in keyof S]: readonly [value: string, meaning: string];
};

/** A flag for each value of a shape; whether it is required is said by the shape when it is read. */
export function addShapeFlags<S extends Shape>(command: Command, shape: S, meanings: Meanings<S>): Command {
  for (const name of Object.keys(shape)) {
    const [value, meaning] = meanings[name as keyof S];
    command.option(value === '' ? flagOfParameter(name) : `${flagOfParameter(name)} <${value}>`, meaning);
  }
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
  const invalid = { ...(read.ok ? {} : read.params), ...emptyFlags(shape, given) };
  if (!read.ok || Object.keys(invalid).length > 0) throw invalidValues(invalid);
  return read.value;
}

/**
 * Flags with an empty value that their field does not take. On the wire these count as not sent; in a shell they are
 * mostly a variable that is not set, and `--products "$PRODUCTS"` must not make a key for all products.
 */
function emptyFlags(shape: Shape, given: Given): InvalidParams {
  const empty = Object.entries(shape).filter(([name, { field }]) => given[name] === '' && !field.read('').ok);
  return Object.fromEntries(empty.map(([name]) => [parameterName(name), 'must not be empty.']));
}

/** One of some names. */
export function oneOf<const N extends string>(names: readonly N[]): Field<N> {
  return {
    schema: { type: 'string', enum: names },
    read(value) {
      const found = names.find((name) => name === value);
      return found === undefined
        ? { ok: false, reason: `must be one of ${names.join(', ')}; ${JSON.stringify(value)} is none.` }
        : { ok: true, value: found };
    },
  };
}

/** Values of a field, separated by commas. */
export function commaSeparated<T>(field: Field<T>): Field<readonly T[]> {
  const many = oneOrMany(field);
  return {
    schema: many.schema,
    read: (value) => many.read(typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value),
  };
}

const LIMIT = 30;
export const pageShape = {
  limit: optional(integer({ min: 1, max: 1000 })),
  page: optional(integer({ min: 1 })),
};
export const PAGE_MEANINGS: Meanings<typeof pageShape> = {
  limit: ['n', `At most this many, 1 to 1000 (default: ${LIMIT})`],
  page: ['n', 'The n-th so many (default: 1)'],
};

export interface Paging extends Page {
  page: number;
}

export function pagingOf(given: Given): Paging {
  const { limit, page } = readFlags(pageShape, given);
  const [size, number] = [limit ?? LIMIT, page ?? 1];
  return { page: number, limit: size, offset: (number - 1) * size };
}

/** Flags that only count together with another. */
export function refuseFlags(given: Given, names: readonly string[], reason: string): void {
  const used = names.filter((name) => given[name] !== undefined);
  if (used.length === 0) return;
  const flags = used.map(flagOfParameter).join(', ');
  throw new Failure(2, 'usage', `${flags} ${reason}.`);
}
