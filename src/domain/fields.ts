import { type Datetime, parseDatetime } from './datetime.ts';
import { snakeName } from './names.ts';
import { type Problem, type ProblemArgs, type Problems, problem, type Said } from './problem.ts';

/** The rules for one input value (contract section 2). HTTP, CSV files and the command line all use fields. */
export interface Field<T> {
  /** JSON Schema of the accepted values, for OpenAPI. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The accepted names; absent if the field does not accept names. */
  readonly names?: readonly string[];
  read(value: unknown): Read<T>;
}
export type Read<T> = { ok: true; value: T } | { ok: false; problem: Problem };

export const MAX_REFERENCE = Number.MAX_SAFE_INTEGER;
export const MAX_COUNT = 2 ** 31 - 1;

export const good = <T>(value: T): Read<T> => ({ ok: true, value });
export const bad = (...said: Said<ProblemArgs>): Read<never> => ({ ok: false, problem: problem(...said) });

/** Returns a field whose values `check` tests or converts. @param schema only if it differs from that of `field` */
export const refined = <T, U>(
  field: Field<T>,
  check: (value: T) => Read<U>,
  schema = field.schema,
): Field<U> => ({
  ...field,
  schema,
  read(value) {
    const read = field.read(value);
    return read.ok ? check(read.value) : read;
  },
});

/** Returns the number of Unicode code points, the unit of every length in the contract. */
export function codePoints(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xdc00 || unit > 0xdfff) count++;
  }
  return count;
}

/** Whether a value is a JSON object: neither a list nor null. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether text has no NUL and no lone surrogates, which some databases, logs and other programs cannot hold. */
export const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

export function integer(range: { min?: number; max?: number; description?: string } = {}): Field<number> {
  const { min = 0, max = MAX_COUNT, description } = range;
  return {
    schema: {
      type: ['integer', 'string'],
      minimum: min,
      maximum: max,
      pattern: '^[0-9]+$',
      ...(description && { description }),
    },
    read(value) {
      const number = typeof value === 'string' && /^[0-9]+$/.test(value) ? Number(value) : value;
      return typeof number === 'number' && Number.isSafeInteger(number) && number >= min && number <= max
        ? good(number + 0)
        : bad('out_of_range', { min, max });
    },
  };
}

/** Returns a field for the id of a record, in this or another system. */
export const reference = (description?: string): Field<number> =>
  integer({ max: MAX_REFERENCE, ...(description && { description }) });

export function text(options: {
  min?: number;
  max: number;
  /** Truncates longer text instead of refusing it. */
  cut?: boolean;
  description?: string;
}): Field<string> {
  const { min = 0, max, cut = false, description } = options;
  return {
    schema: {
      type: 'string',
      ...(min > 0 && { minLength: min }),
      ...(!cut && { maxLength: max }),
      ...(description && { description }),
    },
    read(value) {
      if (typeof value !== 'string') return bad('not_text');
      if (!isStorableText(value)) return bad('unstorable_text');
      const length = codePoints(value);
      if (length > max && cut) return good([...value].slice(0, max).join(''));
      if (length < min || length > max) {
        return min > 0 ? bad('wrong_length', { min, max }) : bad('too_long', { max });
      }
      return good(value);
    },
  };
}

export const datetime: Field<Datetime> = {
  schema: {
    type: 'string',
    description: 'YYYY-MM-DD HH:MM:SS or YYYY-MM-DD (the start of that day) in UTC, or RFC 3339',
    examples: ['2031-02-03 04:05:06'],
  },
  read(value) {
    const parsed = typeof value === 'string' ? parseDatetime(percentDecoded(value)) : null;
    return parsed === null ? bad('not_datetime') : good(parsed);
  },
};

/** Decodes percent-encoding: a widely used C++ client percent-encodes the values of multipart forms. */
function percentDecoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

export const flag: Field<boolean> = {
  schema: {
    type: ['boolean', 'integer', 'string'],
    enum: [true, false, 1, 0, '1', '0', 'true', 'false', 'yes', 'no', ''],
  },
  read(value) {
    if ([true, 1, '1', 'true', 'yes'].includes(value as never)) return good(true);
    if ([false, 0, '', '0', 'false', 'no'].includes(value as never)) return good(false);
    return bad('not_boolean');
  },
};

/** Returns a field for one of several names, ignoring case, or its number (1 for the first). */
export function numberedName<N extends string>(names: readonly N[]): Field<number> {
  const numbers = integer({ min: 1, max: names.length });
  const allowed = names.map((name, i) => `${i + 1} (${name})`);
  return {
    schema: {
      type: ['integer', 'string'],
      description: allowed.join(', '),
      examples: [3, names[2] ?? names[0]],
    },
    names,
    read(value) {
      const index = typeof value === 'string' ? names.indexOf(value.toLowerCase() as N) : -1;
      if (index >= 0) return good(index + 1);
      const number = numbers.read(value);
      return number.ok ? number : bad('not_one_of', { allowed });
    },
  };
}

/** Returns a field for one of several names, ignoring case. */
export function oneOf<const N extends string>(names: readonly N[], description?: string): Field<N> {
  return {
    schema: { type: 'string', enum: [...names], ...(description && { description }) },
    names,
    read(value) {
      const name = typeof value === 'string' ? names.find((one) => one === value.toLowerCase()) : undefined;
      return name === undefined ? bad('not_one_of', { allowed: names }) : good(name);
    },
  };
}

/** Returns a field for a list of values without duplicates. Reads a single value as a list of one. */
export const listOf = <T>(field: Field<T>, max: number, description: string): Field<readonly T[]> =>
  refined(
    oneOrMany(field),
    (sent) => {
      const values = [...new Set(sent)];
      return values.length <= max ? good(values) : bad('too_many_values', { max });
    },
    { type: 'array', items: field.schema, maxItems: max, description },
  );

/** Returns a field for one or several values. Reads a single value as a list of one. */
export function oneOrMany<T>(field: Field<T>): Field<readonly T[]> {
  return {
    ...field,
    schema: { anyOf: [field.schema, { type: 'array', items: field.schema }] },
    read(value) {
      const values: T[] = [];
      for (const one of Array.isArray(value) ? value : [value]) {
        const read = field.read(one);
        if (!read.ok) return read;
        values.push(read.value);
      }
      return good(values);
    },
  };
}

/** Refuses an empty list, which would allow nothing. A list that is not sent allows everything. */
export const some = <T>(list: Field<readonly T[]>): Field<readonly T[]> =>
  refined(list, (values) => (values.length === 0 ? bad('empty') : good(values)), {
    ...list.schema,
    minItems: 1,
  });

/** Returns a field for a list that is sent as one or several texts with values separated by commas. */
export const separated = <T>(list: Field<T>): Field<T> => ({
  ...list,
  read: (value) =>
    list.read(
      [value]
        .flat()
        .flatMap((one) => (typeof one === 'string' ? one.split(',').map((part) => part.trim()) : [one])),
    ),
});

export interface Entry<T, Required extends boolean = boolean, Clearable extends boolean = boolean> {
  readonly field: Field<T>;
  readonly required: Required;
  /** Whether null or "" in an update clears the value; otherwise they are invalid. */
  readonly clearable: Clearable;
}

export const required = <T, const C extends boolean = false>(
  field: Field<T>,
  clearable: C = false as C,
): Entry<T, true, C> => ({ field, required: true, clearable });
export const optional = <T, const C extends boolean = true>(
  field: Field<T>,
  { clearable }: { clearable: C } = { clearable: true as C },
): Entry<T, false, C> => ({ field, required: false, clearable });

// biome-ignore lint/suspicious/noExplicitAny: a shape holds fields of any type; Created and Changes give them back
export type Shape = Readonly<Record<string, Entry<any>>>;
/** Input of a create. An optional value that was not sent is null. */
export type Created<S extends Shape> = {
  [K in keyof S]: S[K] extends Entry<infer T, infer R> ? (R extends true ? T : T | null) : never;
};
/** Input of an update. A value that was not sent is absent; a cleared value is null. */
export type Changes<S extends Shape> = {
  [K in keyof S]?: S[K] extends Entry<infer T, boolean, infer C> ? (C extends true ? T | null : T) : never;
};

/** Replaces nulls in the input of a create or an update with defaults. */
export function withDefaults<T extends object, D extends { readonly [K in keyof T]?: unknown }>(
  input: T,
  defaults: D,
): { [K in keyof T]: K extends keyof D ? Exclude<T[K], null> | D[K] : T[K] } {
  const values = { ...input };
  for (const name of Object.keys(defaults) as (keyof T & keyof D)[])
    if (values[name] === null) values[name] = defaults[name] as unknown as T[typeof name];
  return values as ReturnType<typeof withDefaults<T, D>>;
}

type Params = Readonly<Record<string, unknown>>;
export type ReadAll<T> = { ok: true; value: T } | { ok: false; problems: Problems };

/** Returns the parameter name of a field: `activations_limit` for `activationsLimit`. */
export const parameterName = snakeName;

const notSet = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Reads the parameters of a create. Ignores parameters that the shape does not name. */
export function readCreate<S extends Shape>(shape: S, params: Params): ReadAll<Created<S>> {
  return readAll(shape, params, (entry, value) => {
    if (!notSet(value)) return entry.field.read(value);
    return entry.required ? bad('required') : good(null);
  });
}

/** Reads the parameters of an update. */
export function readUpdate<S extends Shape>(shape: S, params: Params): ReadAll<Changes<S>> {
  return readAll(shape, params, (entry, value) => {
    if (value === undefined) return undefined;
    if (!notSet(value)) return entry.field.read(value);
    return entry.clearable ? good(null) : bad('empty');
  });
}

/** Reads the parameters of a shape. @param readOne returns undefined for a value to leave out */
export function readAll<T>(
  shape: Shape,
  params: Params,
  readOne: (entry: Entry<unknown>, value: unknown) => Read<unknown> | undefined,
): ReadAll<T> {
  const value: Record<string, unknown> = {};
  const problems: Record<string, Problem> = {};
  for (const name of Object.keys(shape)) {
    const read = readOne(shape[name] as Entry<unknown>, params[parameterName(name)]);
    if (read?.ok) value[name] = read.value;
    else if (read) problems[name] = read.problem;
  }
  return Object.keys(problems).length > 0 ? { ok: false, problems } : { ok: true, value: value as T };
}
