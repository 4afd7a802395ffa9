import { createHash } from 'node:crypto';
import { type Compilable, CompiledQuery, type Kysely } from 'kysely';
import type { MigrationTools } from '../migrations/migration.ts';
import type { Schema } from './schema.ts';

/** Builds queries on the tables, and compiles them to the SQL of one engine. */
export type Database = Kysely<Schema>;

/** What differs between the engines. */
export interface SqlEngine extends MigrationTools {
  db: Database;
}

/** The part of a database connection that the shared queries need. */
export interface Connection {
  /** @throws UniqueViolation, StoreUnavailable */
  execute(sql: string, parameters: readonly unknown[], kind?: Kind): Promise<Executed>;
}
/** One statement that an engine runs in place of several with the same text. */
export interface Together {
  name: string | null;
  /**
   * Each parameter is an array of that parameter of all the statements. Each row has the number, from 1, of the
   * statement that it answers, as `place_in_round`.
   */
  text: string;
  /** Index, from 0, of the parameter in which the statements must differ, if any. */
  distinct?: number;
  /** Whether a statement that got no rows runs again, alone: the common statement may have left it out. */
  rerunsEmpty?: boolean;
}
/** What an engine may need to know about a statement besides its text. */
export interface Kind {
  /** The name under which a server may keep the statement prepared; null for a statement that is not worth keeping. */
  name: string | null;
  /** The statement changes nothing and locks nothing. */
  reads: boolean;
  /**
   * The statement that an engine may run instead for several commands at once (`postgres/rounds.ts`). Only for a statement
   * that is the only change of its command, because it then runs without a transaction around it.
   */
  together?: Together;
  /** The statement is the last one of its command: the commit reports whether it succeeded. */
  last?: boolean;
  /** The statement looks rows up by single values: an engine may run it for several callers at once. */
  lookUp?: boolean;
  /** The statement works on so many rows that the time limit of a request is too short. */
  slow?: boolean;
  /** The statement deletes a secret: an engine leaves as few bytes of the secret behind as it can. */
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
 * Compiles a query once, when it first runs; after that, running it only fills in the values. Measured on a look-up
 * by token: half the time of building the query for each call. Compiling all queries at the start would take a tenth
 * of the start time.
 * @param build builds the query; each property that it reads from its argument becomes a parameter of that name
 */
export function prepare<Values extends object, Row>(
  build: (values: Values) => Compilable<Row>,
  about: Pick<Kind, 'last' | 'lookUp' | 'slow'> = {},
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

/** Calls `make` once for each list of names, and keeps what it returns, such as a prepared query for these columns. */
export function oncePer<Made>(make: (names: readonly string[]) => Made): (names: readonly string[]) => Made {
  const known = new Map<string, Made>();
  return (names) => {
    const key = names.join();
    const made = known.get(key) ?? make(names);
    known.set(key, made);
    return made;
  };
}

/** A statement in the engine's own SQL. */
export const statement = (text: string): Compilable => ({ compile: () => CompiledQuery.raw(text) });

/**
 * Runs a query that is built for each call, such as a list with filters or an update of some columns. Pass `reads` for
 * raw SQL that only reads.
 */
export function execute<Row>(
  connection: Connection,
  query: CompiledQuery<Row> | { compile(): CompiledQuery<Row> },
  about: Partial<Kind> = {},
): Promise<Executed<Row>> {
  const { sql, parameters, query: node } = 'compile' in query ? query.compile() : query;
  const kind: Kind = { name: null, reads: node.kind === 'SelectQueryNode', ...about };
  return connection.execute(sql, parameters, kind) as Promise<Executed<Row>>;
}

/** The name of a prepared statement. PostgreSQL allows 63 bytes. */
export const nameOf = (sql: string): string => createHash('sha256').update(sql).digest('hex').slice(0, 32);
