import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { CsvError, type Options, parse } from 'csv-parse';
import type { CsvFaultCode } from '../../domain/problem.ts';

/** A record of a CSV file with the bytes of its cells. */
export interface CsvRecord {
  /** The line of the file where it begins, from 1. Quoted cells may have line breaks. */
  line: number;
  cells: readonly Buffer[];
}

/** The most bytes searched for the end of the first line. */
const HEAD_MAX = 64 * 1024;
/** Far more than a license needs. Without a limit, an unclosed quote puts the rest of the file into one record. */
const RECORD_MAX = 1024 * 1024;
/** Maximum number of cells in a record. A header with a million cells would block all other requests for seconds. */
const CELLS_MAX = 1_000;
/** Bytes passed to the parser between two yields to the event loop, and the most bytes that the parser may buffer. */
const PIECE = 8 * 1024;
const UNPARSED_MAX = 256 * 1024;
/** Records between two yields to the event loop. */
const YIELD_AFTER = 500;
const DELIMITERS = [',', ';', '\t'] as const;

/**
 * Yields the records of a CSV file (RFC 4180), except blank lines.
 * @param delimiter null for the most frequent one in the first line, which is passed to `onDelimiter`
 * @throws CsvFault if the file cannot be parsed
 */
export async function* readCsv(
  source: AsyncIterable<Buffer>,
  delimiter: string | null,
  onDelimiter?: (delimiter: string) => void,
): AsyncGenerator<CsvRecord> {
  const chunks = source[Symbol.asyncIterator]();
  const head = withoutBom(await readHead(chunks));
  const firstLine = head.toString('latin1').split(/[\r\n]/, 1)[0] ?? '';
  // UTF-16 text has NUL bytes.
  if (firstLine.includes('\0')) throw new CsvFault(1, 'not_utf8');

  const separator = delimiter ?? mostFrequent(firstLine);
  onDelimiter?.(separator);
  let line = 1;
  let sinceRecord = 0;
  const options: Options<CsvRecord, Buffer[]> = {
    delimiter: separator,
    // Keep bytes: a cell that is not UTF-8 is a fault of its line, not to be replaced silently.
    encoding: null,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: RECORD_MAX,
    // The parser is ahead of the loop below. Counting here gives parse errors their line.
    on_record: (cells) => {
      if (cells.length > CELLS_MAX) throw new CsvFault(line, 'too_many_cells');
      const record = { line, cells };
      line += 1 + lineBreaks(cells);
      sinceRecord = 0;
      return record;
    },
  };
  // Without named columns, the types of csv-parse know only records of strings.
  const parser = parse(options as object);
  /** Limits the size of a record: with `encoding: null` csv-parse limits cells, but not their number in a record. */
  async function* pieces(): AsyncGenerator<Buffer> {
    for await (const chunk of rejoin(head, chunks))
      for (let at = 0; at < chunk.length; at += PIECE) {
        const piece = chunk.subarray(at, at + PIECE);
        sinceRecord += piece.length;
        if (sinceRecord > RECORD_MAX + UNPARSED_MAX) throw new CsvFault(line, 'record_too_long');
        yield piece;
        await setImmediate();
      }
  }
  const feeding = pipeline(Readable.from(pieces()), parser);
  // Fails together with the parser, whose error the loop below throws.
  feeding.catch(() => {});
  try {
    let read = 0;
    for await (const record of parser as AsyncIterable<CsvRecord>) {
      if (++read % YIELD_AFTER === 0) await setImmediate();
      if (!isBlank(record)) yield record;
    }
  } catch (error) {
    throw error instanceof CsvError ? new CsvFault(line, FAULTS[error.code] ?? 'unreadable') : error;
  }
}

/** The file cannot be parsed. */
export class CsvFault extends Error {
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
