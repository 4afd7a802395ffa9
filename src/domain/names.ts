/** Converts `activationsLimit` to `activations_limit`, the form outside the program: in columns, parameters and JSON. */
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

/** Converts each name once: there are few names, and many records. */
function cached(convert: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    const converted = known.get(name) ?? convert(name);
    known.set(name, converted);
    return converted;
  };
}

/** Converts `activationsLimit` to `activations_limit`. */
export const snakeName = cached((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
/** Converts `activations_limit` to `activationsLimit`. */
export const camelName = cached((name) =>
  name.replace(/_[a-z0-9]/g, (letter) => letter.charAt(1).toUpperCase()),
);

const renamed = (record: object, rename: (name: string) => string): Record<string, unknown> => {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) values[rename(name)] = value;
  return values;
};

/** Renames the fields of a row or of parsed JSON to the names of the domain. */
export const camelCased = <Row extends object>(row: Row): CamelCased<Row> =>
  renamed(row, camelName) as CamelCased<Row>;

/** Renames the fields of a record to the names of columns, parameters and JSON. */
export const snakeCased = <Record_ extends object>(record: Record_): SnakeCased<Record_> =>
  renamed(record, snakeName) as SnakeCased<Record_>;

type Dotted<Table> = {
  [K in keyof Table]: `${K & string}.${(Table[K] & readonly string[])[number]}`;
}[keyof Table];

/** Converts `{ user: ['create'] }` to `['user.create']`. */
export const dotted = <const Table extends Readonly<Record<string, readonly string[]>>>(
  table: Table,
): readonly Dotted<Table>[] =>
  Object.entries(table).flatMap(([noun, verbs]) => verbs.map((verb) => `${noun}.${verb}` as Dotted<Table>));
