import type { Row } from '../source.ts';
import { truncated } from './bytes.ts';
import { Incomplete, type Token, Tokens } from './tokens.ts';

/** A table that the caller asked for, or a row of it. */
export type Found =
  | { kind: 'table'; database: string; table: string }
  | { kind: 'row'; database: string; table: string; row: Row };

const NO_COLUMN = /^(?:PRIMARY|KEY|UNIQUE|INDEX|CONSTRAINT|FULLTEXT|SPATIAL|CHECK|FOREIGN|PERIOD)$/i;
const UTF8 = /^(?:utf8|utf8mb3|utf8mb4|binary|default)$/i;

/**
 * Reads a dump as mysqldump, mariadb-dump, phpMyAdmin, WP-CLI and backup plugins write it, with constant memory.
 * @param file named in errors
 * @param wanted whether the rows of a table are asked for
 * @param spare whether to skip the statements on a table that cannot be read, instead of throwing
 * @throws Error where the dump is truncated, or has what cannot be read
 */
export async function* readStatements(
  file: string,
  chunks: AsyncIterable<Buffer>,
  wanted: (table: string) => boolean,
  spare: (table: string) => boolean = () => false,
): AsyncIterable<Found> {
  const parser = new Parser(file, wanted, spare);
  let rest: Buffer = Buffer.alloc(0);
  let waiting: Buffer[] = [];
  let [length, needed] = [0, 0];
  for await (const chunk of chunks) {
    waiting.push(chunk);
    length += chunk.length;
    // A token that is not complete is read again from its start: with twice the bytes, so that a long one takes linear time.
    if (length < needed) continue;
    const bytes = Buffer.concat([rest, ...waiting]);
    [waiting, length] = [[], 0];
    const tokens = new Tokens(bytes, false);
    yield* parser.read(tokens);
    rest = bytes.subarray(tokens.position);
    needed = rest.length;
  }
  const tokens = new Tokens(Buffer.concat([rest, ...waiting]), true);
  yield* parser.read(tokens);
  if (!tokens.isAtEnd || !parser.isComplete) throw truncated(file);
}

class Parser {
  readonly #file: string;
  readonly #wanted: (table: string) => boolean;
  readonly #spare: (table: string) => boolean;
  readonly #columns = new Map<string, readonly string[]>();
  #state: 'statement' | 'rows' | 'skip' | 'routine' = 'statement';
  /** The table of the statement, and the columns of an INSERT. */
  #table = '';
  #inserted: readonly string[] = [];
  #database = '';
  #charset = 'utf8mb4';
  /** Whether variables are saved that a complete dump restores at its end. */
  #saved = false;
  /** Dumps that have begun and not ended: a file may hold several. */
  #open = 0;

  constructor(file: string, wanted: (table: string) => boolean, spare: (table: string) => boolean) {
    this.#file = file;
    this.#wanted = wanted;
    this.#spare = spare;
  }

  *read(tokens: Tokens): Iterable<Found> {
    while (!tokens.isAtEnd) {
      if (this.#state === 'skip') {
        if (!tokens.skipStatement()) return;
        this.#state = 'statement';
        continue;
      }
      const from = tokens.position;
      try {
        const found = this.#step(tokens);
        if (found) yield found;
      } catch (error) {
        if (error instanceof Incomplete) {
          tokens.position = from;
          return;
        }
        if (!this.#spare(this.#table)) throw error;
        this.#state = 'skip';
      }
    }
  }

  get isComplete(): boolean {
    return this.#state === 'statement' && !this.#saved && this.#open <= 0;
  }

  /** Reads one statement, one row, or one comment. Returns what it holds that is wanted. */
  #step(tokens: Tokens): Found | null {
    if (this.#state === 'rows') return this.#row(tokens);
    const token = tokens.next();
    if (token?.kind === 'word') return this.#statement(token.text.toUpperCase(), tokens);
    if (token?.kind === 'comment') this.#comment(token.text);
    else if (token?.kind !== 'mark' && this.#state !== 'routine') this.#state = 'skip';
    return null;
  }

  #statement(verb: string, tokens: Tokens): Found | null {
    if (verb === 'DELIMITER') {
      // Skips triggers and routines, until the delimiter is a semicolon again.
      this.#state = tokens.line().trim() === ';' ? 'statement' : 'routine';
      return null;
    }
    if (this.#state === 'routine') return null;
    if (verb === 'SET') {
      const words: string[] = [];
      for (let token = significant(tokens); !isMark(token, ';'); token = significant(tokens))
        words.push(textOf(token));
      this.#comment(`SET ${words.join(' ')}`);
      return null;
    }
    if (verb === 'USE') this.#database = nameOf(significant(tokens)) ?? '';
    const found = verb === 'CREATE' ? this.#create(tokens) : null;
    const isInsert = verb === 'INSERT' || verb === 'REPLACE';
    this.#state = isInsert && this.#begin(tokens) ? 'rows' : 'skip';
    return found;
  }

  /** Executable comments set variables, as statements do; others say where a dump begins and ends. */
  #comment(text: string): void {
    const charset = /\bSET NAMES\s+'?(\w+)/i.exec(text)?.[1];
    if (charset) this.#charset = charset;
    if (/@OLD_/i.test(text)) this.#saved = /@OLD_\w+\s*=\s*@@/i.test(text);
    if (/^-- (?:MySQL|MariaDB) dump /.test(text)) this.#open++;
    if (/^-- Dump completed/.test(text)) this.#open--;
  }

  #create(tokens: Tokens): Found | null {
    let token = significant(tokens);
    while (token.kind === 'word' && !/^TABLE$/i.test(token.text)) token = significant(tokens);
    const table = token.kind === 'word' ? tableName(tokens, /^(?:IF|NOT|EXISTS)$/i) : null;
    if (!table || !this.#wanted(table.name)) return null;
    this.#table = table.name;
    const columns = isMark(table.next, '(') ? columnsOf(tokens) : [];
    const key = `${this.#database}.${table.name}`;
    if (this.#columns.has(key)) throw this.#error(`the table ${table.name} is in the dump twice`);
    this.#columns.set(key, columns);
    return { kind: 'table', database: this.#database, table: table.name };
  }

  /** Reads an INSERT up to its rows. Returns whether they are wanted. */
  #begin(tokens: Tokens): boolean {
    const table = tableName(tokens, /^(?:LOW_PRIORITY|DELAYED|HIGH_PRIORITY|IGNORE|INTO)$/i);
    if (!table || !this.#wanted(table.name)) return false;
    this.#table = table.name;
    let { next } = table;
    let columns = this.#columns.get(`${this.#database}.${table.name}`) ?? [];
    if (isMark(next, '(')) {
      columns = namesOf(tokens);
      next = significant(tokens);
    }
    if (next.kind !== 'word' || !/^VALUES?$/i.test(next.text))
      throw this.#error(`an INSERT into ${table.name} has no VALUES`);
    if (columns.length === 0)
      throw this.#error(
        `the columns of ${table.name} are unknown: write the dump with CREATE TABLE statements`,
      );
    if (!UTF8.test(this.#charset))
      throw this.#error(
        `its character set is ${this.#charset}: write the dump with --default-character-set=utf8mb4`,
      );
    this.#inserted = columns;
    return true;
  }

  #row(tokens: Tokens): Found | null {
    const [table, columns] = [this.#table, this.#inserted];
    const first = significant(tokens);
    if (isMark(first, ',')) return null;
    if (!isMark(first, '(')) {
      // Not the end: ON DUPLICATE KEY UPDATE
      this.#state = isMark(first, ';') ? 'statement' : 'skip';
      return null;
    }
    const row: Record<string, Buffer | null> = {};
    for (let count = 0; ; count++) {
      const value = this.#value(tokens, table);
      const end = significant(tokens);
      row[columns[count] ?? ''] = value;
      if (isMark(end, ',')) continue;
      if (isMark(end, ')') && count + 1 === columns.length) break;
      throw this.#error(`a row of ${table} does not have its ${columns.length} columns`);
    }
    return { kind: 'row', database: this.#database, table, row };
  }

  #value(tokens: Tokens, table: string): Buffer | null {
    let token = significant(tokens);
    if (token.kind === 'word') {
      const word = token.text.toUpperCase();
      if (word === 'NULL') return null;
      if (word === 'TRUE') return Buffer.from('1');
      if (word === 'FALSE') return Buffer.from('0');
      // A character set: _binary '…', _utf8mb4 '…', N'…', X'…'
      const introduced = /^(?:_\w+|N|X)$/.test(word) ? significant(tokens) : token;
      if (introduced.kind === 'string' && word === 'X')
        return Buffer.from(introduced.bytes.toString('latin1'), 'hex');
      token = introduced;
    }
    if (token.kind === 'string' || token.kind === 'number') return token.bytes;
    throw this.#error(`a value of ${table} is an expression: "${textOf(token).slice(0, 40)}"`);
  }

  #error(what: string): Error {
    return new Error(`${this.#file}: ${what}`);
  }
}

const isMark = (token: Token | null, text: string): boolean => token?.kind === 'mark' && token.text === text;

const textOf = (token: Token): string =>
  token.kind === 'string' || token.kind === 'number' ? token.bytes.toString() : token.text;

/** The next token that is no comment. @throws Incomplete also at the end of the dump, which is then truncated */
function significant(tokens: Tokens): Token {
  for (;;) {
    const token = tokens.next();
    if (token === null) throw new Incomplete();
    if (token.kind !== 'comment') return token;
  }
}

/** Names may be in double quotes (ANSI mode), and without quotes. */
const nameOf = (token: Token): string | null =>
  token.kind === 'name' || token.kind === 'word' || token.kind === 'string' ? textOf(token) : null;

/** A table's name, without its database, and the token after it. */
function tableName(tokens: Tokens, skipped: RegExp): { name: string; next: Token } | null {
  let token = significant(tokens);
  while (token.kind === 'word' && skipped.test(token.text)) token = significant(tokens);
  let name = nameOf(token);
  let next = significant(tokens);
  if (isMark(next, '.')) {
    name = nameOf(significant(tokens));
    next = significant(tokens);
  }
  return name === null ? null : { name, next };
}

/** The names up to the closing parenthesis. The opening one was read before. */
function namesOf(tokens: Tokens): string[] {
  const names: string[] = [];
  for (;;) {
    const token = significant(tokens);
    if (isMark(token, ')')) return names;
    const name = nameOf(token);
    if (name !== null) names.push(name);
  }
}

/** The columns of a CREATE TABLE, up to the closing parenthesis. The opening one was read before. */
function columnsOf(tokens: Tokens): string[] {
  const columns: string[] = [];
  let [depth, isStart] = [1, true];
  while (depth > 0) {
    const token = significant(tokens);
    if (isStart && (token.kind === 'name' || token.kind === 'string')) columns.push(textOf(token));
    if (isStart && token.kind === 'word' && !NO_COLUMN.test(token.text)) columns.push(token.text);
    isStart = depth === 1 && isMark(token, ',');
    if (isMark(token, '(')) depth++;
    if (isMark(token, ')')) depth--;
  }
  return columns;
}
