import { createHash } from 'node:crypto';
import { type Compilable, CompiledQuery } from 'kysely';

/** What the shared queries need of a database connection. */
export interface Connection {
  /** @throws UniqueViolation, StoreUnavailable */
  execute(sql: string, parameters: readonly unknown[], kind?: Kind): Promise<Executed>;
}
/** A statement in place of several that have the same text. */
export interface Together {
  name: string | null;
  /**
   * Its parameters are arrays of theirs. Its rows have the number of the statement that they are for, from 1, as
   * `place_in_round`.
   */
  text: string;
  /** The parameter in which the statements must differ, if any: a number from 0. */
  distinct?: number;
  /** A statement without rows runs again, alone: this one may have left it out. */
  rerunsEmpty?: boolean;
}
/** What an engine may need to know about a statement besides its text. */
export interface Kind {
  /** The name under which a server may keep the statement prepared; null for a statement that is not worth keeping. */
  name: string | null;
  /** It changes nothing and locks nothing. */
  reads: boolean;
  /** It is the only change of its command, so it needs no transaction around it. */
  alone?: boolean;
  /** With `alone`: the statement that an engine may run instead for several commands at once (`postgres/rounds.ts`). */
  together?: Together;
  /** It is the last statement of its command: the commit reports whether it succeeded. */
  last?: boolean;
  /** The next read must see the same snapshot, on engines where that costs nothing. */
  withNext?: boolean;
  /** It looks rows up by single values: an engine may run it for several callers at once. */
  lookUp?: boolean;
  /** It works on so many rows that the time limit of a request is too short. */
  slow?: boolean;
  /** It deletes a secret: an engine leaves as few bytes of it behind as it can. */
  secret?: boolean;
}
export interface Executed<Row = unknown> {
  rows: Row[];
  /** Rows that an insert, update or delete changed. */
  affected: number;
}

/** Takes the place of a value while a query is compiled. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Compiles a query once, when it first runs; after that, running it only fills in the values. Measured on a look-up by token:
 * half the time of building the query for each call. Compiling all queries at the start would take a tenth of it.
 * @param build builds the query; each property that it reads from its argument becomes a parameter of that name
 */
export function prepare<Values extends object, Row>(
  build: (values: Values) => Compilable<Row>,
  about: Pick<Kind, 'alone' | 'last' | 'lookUp' | 'slow' | 'withNext'> = {},
): (connection: Connection, values: Values) => Promise<Executed<Row>> {
  let compiled: { sql: string; kind: Kind; fill: ((values: Values) => unknown)[] } | undefined;
  const compile = () => {
    const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) });
    const { sql, parameters, query } = build(placeholders as Values).compile();
    const kind: Kind = { name: nameOf(sql), reads: query.kind === 'SelectQueryNode', ...about };
    const fill = parameters.map((parameter) =>
      parameter instanceof Placeholder
        ? (values: Values) => values[parameter.name as keyof Values] as unknown
        : () => parameter,
    );
    return { sql, kind, fill };
  };
  return (connection, values) => {
    compiled ??= compile();
    const { sql, kind, fill } = compiled;
    const filled = fill.map((value) => value(values));
    return connection.execute(sql, filled, kind) as Promise<Executed<Row>>;
  };
}

/** A statement in the engine's own SQL. */
export const statement = (text: string): Compilable => ({ compile: () => CompiledQuery.raw(text) });

/** Runs a query that is built for each call, such as a list with filters or an update of some columns. */
export function execute<Row>(
  connection: Connection,
  query: { compile(): CompiledQuery<Row> },
  about: Partial<Kind> = {},
): Promise<Executed<Row>> {
  const { sql, parameters, query: node } = query.compile();
  const kind: Kind = { name: null, reads: node.kind === 'SelectQueryNode', ...about };
  return connection.execute(sql, parameters, kind) as Promise<Executed<Row>>;
}

/** The name of a prepared statement. PostgreSQL allows 63 bytes. */
export const nameOf = (sql: string): string => createHash('sha256').update(sql).digest('hex').slice(0, 32);
