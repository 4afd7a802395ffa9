import { csvCell, plainCell } from '../../ui/csv.ts';

/** Bytes to read for the column names. */
const BEGINNING = 64 * 1024;

/**
 * Returns the start of a CSV file, up to the end of a record. Returns the whole file if it is small, or if no record ends
 * within the start.
 */
export async function beginningOf(file: Blob): Promise<Blob> {
  if (file.size <= BEGINNING) return file;
  const bytes = new Uint8Array(await file.slice(0, BEGINNING).arrayBuffer());
  let end = 0;
  let isQuoted = false;
  for (const [i, byte] of bytes.entries()) {
    if (byte === 34) isQuoted = !isQuoted;
    else if (!isQuoted && (byte === 10 || byte === 13)) end = i + 1;
  }
  return end > 0 ? file.slice(0, end) : file;
}

interface CsvRecord {
  /** The first line of the record, starting at 1. */
  line: number;
  text: string;
}

/** Reads the records of a CSV file that the server could parse, without their line breaks. */
async function* recordsOf(file: Blob): AsyncGenerator<CsvRecord> {
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let [start, from, line, breaks] = [0, 0, 1, 0];
  let isQuoted = false;
  for (;;) {
    const { done, value } = await reader.read();
    text = text.slice(start) + (value ?? '');
    from -= start;
    start = 0;
    // Keep a trailing CR for the next chunk, which may begin with its LF.
    const end = !done && text.endsWith('\r') ? text.length - 1 : text.length;
    const special = /["\n\r]/g;
    special.lastIndex = from;
    for (let found = special.exec(text); found && found.index < end; found = special.exec(text)) {
      const at = found.index;
      if (found[0] === '"') {
        isQuoted = !isQuoted;
        continue;
      }
      if (found[0] === '\r' && text[at + 1] === '\n') special.lastIndex = at + 2;
      breaks++;
      if (isQuoted) continue;
      yield { line, text: text.slice(start, at) };
      line += breaks;
      breaks = 0;
      start = special.lastIndex;
    }
    from = end;
    if (done) break;
  }
  if (start < text.length) yield { line, text: text.slice(start) };
}

export function cellsOf(record: string, delimiter: string): string[] {
  const cells: string[] = [];
  let at = 0;
  while (at <= record.length) {
    let end = record.indexOf(delimiter, at);
    if (record[at] === '"') {
      let quote = record.indexOf('"', at + 1);
      while (quote >= 0 && record[quote + 1] === '"') quote = record.indexOf('"', quote + 2);
      end = quote < 0 ? -1 : record.indexOf(delimiter, quote);
    }
    if (end < 0) end = record.length;
    const cell = record.slice(at, end);
    cells.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    at = end + delimiter.length;
  }
  return cells;
}

/** The number of records joined into one part of the file. */
const ROWS = 5_000;

/**
 * A CSV file of the rejected lines with the same columns and one for the reason, which an import ignores.
 * @param rejected the line numbers in order, with reasons
 * @param reasonName the name of the reason column
 */
export async function rejectedCsv(
  file: Blob,
  delimiter: string,
  rejected: Iterator<{ line: number; words: string }>,
  reasonName: string,
): Promise<Blob> {
  const blobs: Blob[] = [];
  let rows: string[] = [];
  let width = 0;
  let hadReason = false;
  let next = rejected.next();
  const write = (cells: readonly string[], last: string) => {
    const row = Array.from({ length: Math.max(width, cells.length) }, (_, i) => plainCell(cells[i] ?? ''));
    rows.push(`${[...row, last].map(csvCell).join(delimiter)}\r\n`);
  };
  for await (const { line, text } of recordsOf(file)) {
    if (text === '' || (width > 0 && (next.done || line < next.value.line))) continue;
    const cells = cellsOf(text, delimiter);
    if (width === 0) {
      // A file that was rejected and corrected before already has the reason column.
      hadReason = cells.at(-1) === reasonName;
      if (hadReason) cells.pop();
      width = cells.length;
      write(cells, reasonName);
    } else if (!next.done) {
      write(hadReason && cells.length === width + 1 ? cells.slice(0, -1) : cells, next.value.words);
      next = rejected.next();
    }
    if (next.done && width > 0) break;
    if (rows.length < ROWS) continue;
    blobs.push(new Blob(rows));
    rows = [];
  }
  return new Blob(['\ufeff', ...blobs, ...rows], { type: 'text/csv;charset=utf-8' });
}
