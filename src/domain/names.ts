import { parameterName } from './fields.ts';

/** `activationsLimit` is `activations_limit` wherever a record leaves the program: in columns, parameters and JSON. */
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Name;
type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;

export type SnakeCased<Record_> = {
  [Name in keyof Record_ as Name extends string ? Snake<Name> : never]: Record_[Name];
};
export type CamelCased<Row> = { [Name in keyof Row as Name extends string ? Camel<Name> : never]: Row[Name] };

const camelNames = new Map<string, string>();
const snakeNames = new Map<string, string>();

/** Each name is converted once: the fields of records are few, and the records are many. */
function kept(names: Map<string, string>, name: string, convert: (name: string) => string): string {
  let converted = names.get(name);
  if (converted === undefined) {
    converted = convert(name);
    names.set(name, converted);
  }
  return converted;
}

const toCamel = (name: string): string =>
  name.replace(/_[a-z0-9]/g, (letter) => letter.charAt(1).toUpperCase());

/** `activations_limit` is `activationsLimit`. */
export const camelName = (name: string): string => kept(camelNames, name, toCamel);

/** A row or parsed JSON with the names of the domain; values stay as they are. */
export function camelCased<Row extends object>(row: Row): CamelCased<Row> {
  const record: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) record[camelName(name)] = value;
  return record as CamelCased<Row>;
}

/** A record with the names of columns, parameters and JSON; values stay as they are. */
export function snakeCased<Record_ extends object>(record: Record_): SnakeCased<Record_> {
  const row: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) row[kept(snakeNames, name, parameterName)] = value;
  return row as SnakeCased<Record_>;
}
