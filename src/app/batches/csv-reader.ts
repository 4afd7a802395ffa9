import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { CsvError, type Options, parse } from 'csv-parse';
import type { CsvFaultCode } from '../../domain/problem.ts';

/** A record of a CSV file, its cells as the bytes that they are. */
export interface CsvRecord {
  /** Line of the file where it begins, from 1; a quoted cell may hold further ones. */
  line: number;
  cells: readonly Buffer[];
}

/** Bytes looked at for the end of the first line. */
const HEAD_MAX = 64 * 1024;
/** Far more than a license needs; a quote without a partner would swallow the rest of the file into one record. */
const RECORD_MAX = 1024 * 1024;
/** Bytes given to the parser at once, some of which it may not have parsed when it is given more. */
const PIECE = 8 * 1024;
const UNPARSED_MAX = 256 * 1024;
/** Records, blank ones too, between which others get their turn. */
const TURN = 500;
const DELIMITERS = [',', ';', '\t'] as const;

/**
 * The records of a CSV file (RFC 4180) that are not blank. The delimiter, where none is given, is the one that the
 * first line has most of; `onDelimiter` is told it.
 * @throws CsvFault where the file cannot be divided into records
 */
export async function* readCsv(
  source: AsyncIterable<Buffer>,
  delimiter: string | null,
  onDelimiter?: (delimiter: string) => void,
): AsyncGenerator<CsvRecord> {
  const chunks = source[Symbol.asyncIterator]();
  const head = withoutBom(await readHead(chunks));
  const firstLine = head.toString('latin1').split(/[\r\n]/, 1)[0] ?? '';
  // Every other byte of text in UTF-16.
  if (firstLine.includes('\0')) throw new CsvFault(1, 'not_utf8');

  const between = delimiter ?? mostFrequent(firstLine);
  onDelimiter?.(between);
  let line = 1;
  let sinceRecord = 0;
  const options: Options<CsvRecord, Buffer[]> = {
    delimiter: between,
    // The cells as bytes: what is no UTF-8 is a fault of its line, to be told, not to be replaced.
    encoding: null,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: RECORD_MAX,
    // Called while parsing, ahead of what is read below: an error is to name the line where it stands.
    on_record: (cells) => {
      const record = { line, cells };
      line += 1 + lineBreaks(cells);
      sinceRecord = 0;
      return record;
    },
  };
  // Where no columns are named, the types of the library know records of strings only.
  const parser = parse(options as object);
  /** The parser bounds a cell that is bytes, not how many of them a record has, each of which takes far more memory. */
  async function* pieces(): AsyncGenerator<Buffer> {
    for await (const chunk of rejoin(head, chunks))
      for (let at = 0; at < chunk.length; at += PIECE) {
        const piece = chunk.subarray(at, at + PIECE);
        sinceRecord += piece.length;
        if (sinceRecord > RECORD_MAX + UNPARSED_MAX) throw new CsvFault(line, 'record_too_long');
        yield piece;
      }
  }
  const feeding = pipeline(Readable.from(pieces()), parser);
  // It fails together with the parser, whose error is met below.
  feeding.catch(() => {});
  try {
    let read = 0;
    for await (const record of parser as AsyncIterable<CsvRecord>) {
      if (++read % TURN === 0) await setImmediate();
      if (!isBlank(record)) yield record;
    }
  } catch (error) {
    throw error instanceof CsvError ? new CsvFault(line, FAULTS[error.code] ?? 'unreadable') : error;
  }
}

/** The file cannot be divided into records. */
export class CsvFault extends Error {
  /** Where it shows. */
  readonly line: number;
  readonly fault: CsvFaultCode;
  constructor(line: number, fault: CsvFaultCode) {
    super(`line ${line}: ${fault}`);
    this.line = line;
    this.fault = fault;
  }
}

const FAULTS: Record<string, CsvFaultCode> = {
  CSV_QUOTE_NOT_CLOSED: 'quote_not_closed',
  CSV_MAX_RECORD_SIZE: 'record_too_long',
  CSV_INVALID_CLOSING_QUOTE: 'text_after_quote',
  INVALID_OPENING_QUOTE: 'quote_in_cell',
};
async function readHead(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  while (head.length < HEAD_MAX && !/[\r\n]/.test(head.toString('latin1'))) {
    const { value, done } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  return head;
}

async function* rejoin(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

const withoutBom = (bytes: Buffer): Buffer =>
  bytes.subarray(0, 3).equals(Buffer.from('\ufeff')) ? bytes.subarray(3) : bytes;

function mostFrequent(firstLine: string): string {
  const bare = firstLine.replace(/"[^"]*"/g, '');
  const times = (delimiter: string) => bare.split(delimiter).length;
  return DELIMITERS.reduce((best, one) => (times(one) > times(best) ? one : best));
}

const lineBreaks = (cells: readonly Buffer[]): number => {
  let breaks = 0;
  for (const cell of cells) {
    if (cell.includes(10) || cell.includes(13))
      breaks += cell.toString('latin1').match(/\r\n|\n|\r/g)?.length ?? 0;
  }
  return breaks;
};

const isBlank = ({ cells }: CsvRecord): boolean => cells.length <= 1 && (cells[0]?.length ?? 0) === 0;
