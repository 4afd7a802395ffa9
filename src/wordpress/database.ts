import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { addAbortSignal } from 'node:stream';
import type { Connection, ConnectionOptions, RowDataPacket } from 'mysql2';
import {
  ADDRESS_TABLES,
  addressTableOf,
  OPTIONS_TABLE,
  PLUGIN_TABLE,
  type Row,
  type Source,
} from './source.ts';

/** Seconds that the server waits for a slow reader while it sends rows. */
const WRITE_TIMEOUT = 3_600;

/**
 * Connects to the database of WordPress and begins a transaction that reads only, with a consistent snapshot.
 * @param url `mysql://user:password@host:port/database`, with `?ssl-mode=required`, `verify_ca` or `verify_identity`,
 *   `ssl-ca=FILE`, `socket=FILE`
 * @throws Error without the password
 */
export async function openDatabase(url: string): Promise<Source> {
  const options = connectionOptions(url);
  const { default: mysql } = await import('mysql2');
  const connection = mysql.createConnection(options);
  // A lost connection is reported here and not to the stream of a query. Without a listener, it would end the process.
  const lost = new AbortController();
  connection.on('error', (error) => lost.abort(error));
  try {
    await query(connection, `set session net_write_timeout = ${WRITE_TIMEOUT}`);
    await query(connection, 'set session transaction isolation level repeatable read');
    await query(connection, 'start transaction with consistent snapshot, read only');
    const names = (await query(connection, 'show tables')).map(([name]) => String(name));
    const tables = new Map<string, number>();
    const isOfUse = (name: string) =>
      PLUGIN_TABLE.test(name) || OPTIONS_TABLE.test(name) || addressTableOf(name) !== null;
    for (const name of names.filter(isOfUse)) {
      const [count] = PLUGIN_TABLE.test(name)
        ? await query(connection, 'select count(*) from ??', [name])
        : [[0]];
      tables.set(name, Number(count?.[0]));
    }
    return sourceOf(connection, lost.signal, tables);
  } catch (error) {
    connection.destroy();
    throw new Error(`the database reported: ${reasonOf(error)}`);
  }
}

/** @param lost aborted when the connection is lost, with the error as its reason */
function sourceOf(connection: Connection, lost: AbortSignal, tables: ReadonlyMap<string, number>): Source {
  return {
    tables,
    async addresses(table, kind, licenses) {
      const { id, address, named, only } = ADDRESS_TABLES[kind];
      const where = only ? 'and ?? = ?' : '';
      const values = [id, address, table, id, named, licenses, ...(only ? [only.column, only.value] : [])];
      const found = await query(
        connection,
        `select ??, ?? from ?? where ?? in (select ?? from ??) ${where}`,
        values,
      );
      return new Map(found.map(([one, text]) => [Number(one), String(text ?? '').trim()]));
    },
    async option(table, name) {
      const [row] = await query(connection, 'select option_value from ?? where option_name = ?', [
        table,
        name,
      ]);
      return (row?.[0] as Buffer | undefined) ?? null;
    },
    async *rows(wanted, signal, read) {
      const total = wanted.reduce((sum, table) => sum + (tables.get(table) ?? 0), 0);
      let done = 0;
      for (const table of wanted) {
        for await (const row of rowsOf(connection, table, lost, signal)) {
          yield { table, row };
          read(Math.min(1, ++done / total));
        }
      }
      read(1);
    },
    // An orderly end would wait for a query whose rows nobody reads any more.
    close: async () => connection.destroy(),
  };
}

async function* rowsOf(
  connection: Connection,
  table: string,
  lost: AbortSignal,
  signal: AbortSignal,
): AsyncIterable<Row> {
  // Raw bytes, so that a value is the same as in a dump.
  const stream = connection
    .query({ sql: 'select * from ??', values: [table], rowsAsArray: true, typeCast: false })
    .stream({ highWaterMark: 500 });
  addAbortSignal(AbortSignal.any([signal, lost]), stream);
  let columns: string[] = [];
  stream.on('fields', (fields: { name: string }[]) => {
    columns = fields.map(({ name }) => name);
  });
  try {
    for await (const values of stream) {
      const row: Record<string, Buffer | null> = {};
      for (const [index, name] of columns.entries()) row[name] = values[index];
      yield row;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`the database reported: ${reasonOf(lost.reason ?? error)}`);
  }
}

const query = (connection: Connection, sql: string, values: unknown[] = []): Promise<unknown[][]> =>
  new Promise((resolve, reject) => {
    connection.query<RowDataPacket[][]>({ sql, values, rowsAsArray: true, typeCast: false }, (error, rows) =>
      error ? reject(error) : resolve(rows as unknown as unknown[][]),
    );
  });

/** The messages of the driver and the server do not contain the password. */
const reasonOf = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || String(error);
};

const SSL_MODES: Readonly<Record<string, { rejectUnauthorized: boolean; verifyIdentity?: boolean } | null>> =
  {
    disabled: null,
    required: { rejectUnauthorized: false },
    verify_ca: { rejectUnauthorized: true },
    verify_identity: { rejectUnauthorized: true, verifyIdentity: true },
  };

function connectionOptions(text: string): ConnectionOptions {
  // Errors of URL contain the text, and so the password.
  const url = URL.parse(text);
  if (!url || !['mysql:', 'mariadb:'].includes(url.protocol))
    throw new Error(
      'the address of the database must have the form mysql://user:password@host:3306/database',
    );
  const database = decoded(url.pathname.slice(1));
  if (!database) throw new Error('the address of the database does not name a database');
  const known = ['ssl-mode', 'ssl-ca', 'socket'];
  for (const name of url.searchParams.keys())
    if (!known.includes(name))
      throw new Error(
        `the address of the database has an unknown option: ${name} (known: ${known.join(', ')})`,
      );
  const socket = url.searchParams.get('socket');
  const ca = url.searchParams.get('ssl-ca');
  const mode = url.searchParams.get('ssl-mode')?.toLowerCase() ?? (ca ? 'verify_ca' : 'disabled');
  if (!(mode in SSL_MODES)) throw new Error(`ssl-mode must be one of ${Object.keys(SSL_MODES).join(', ')}`);
  // The driver compares the certificate of an IP address with "localhost".
  if (mode === 'verify_identity' && isIP(url.hostname.replace(/[[\]]/g, '')))
    throw new Error('ssl-mode=verify_identity needs the host name in the certificate, not an IP address');
  const ssl = SSL_MODES[mode];
  return {
    ...(socket
      ? { socketPath: socket }
      : { host: url.hostname.replace(/[[\]]/g, ''), port: Number(url.port || 3306) }),
    user: decoded(url.username),
    password: decoded(url.password),
    database,
    charset: 'utf8mb4_general_ci',
    ...(ssl && { ssl: { ...ssl, ...(ca && { ca: readFileSync(ca) }) } }),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error('the address of the database has a "%" that must be written as "%25"');
  }
}
