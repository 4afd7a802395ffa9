import { isUtf8 } from 'node:buffer';
import { type Datetime, parseDatetime } from '../domain/datetime.ts';
import { codePoints, type Field, isStorableText } from '../domain/fields.ts';
import type { Note, NoteCode } from './shop.ts';
import type { Row } from './source.ts';

/** A row that cannot be moved. */
export class BadRow extends Error {
  readonly note: Note;

  constructor(note: Note) {
    super(note.code);
    this.note = note;
  }
}

const NOTE_MAX = 80;
const ZERO_DATE = /^0000-00-00(?: 00:00:00(?:\.0+)?)?$/;

/**
 * Reads the values of one row, and notes what is odd about them. A value is not trusted just because a database holds
 * it.
 */
export class Cells {
  readonly notes: Note[] = [];
  readonly #row: Row;
  readonly #now: Datetime;

  /** @param now replaces a missing date where the row needs one */
  constructor(row: Row, now: Datetime) {
    this.#row = row;
    this.#now = now;
  }

  note(code: NoteCode, column: string | null, value: string | null = null): void {
    this.notes.push(noteOf(code, column, value));
  }

  /** The text as stored; null for NULL and a missing column. */
  raw(column: string): string | null {
    return this.#row[column]?.toString() ?? null;
  }

  /** Whether the column holds text. Other bytes are read as U+FFFD. */
  isText(column: string): boolean {
    const bytes = this.#row[column];
    return !bytes || isUtf8(bytes);
  }

  /** A text of at most `max` characters, cut if need be. */
  text(column: string, max: number): string | null {
    let text = this.raw(column);
    if (text === null) return null;
    if (!isStorableText(text) || text.includes('\uFFFD')) {
      this.note('unstorable', column, text);
      text = text.toWellFormed().replaceAll(/[\0\uFFFD]/g, '');
    }
    if (codePoints(text) <= max) return text;
    this.note('cut', column, text);
    return first(text, max);
  }

  /**
   * A value that the row needs.
   * @throws BadRow if it is missing or malformed
   * @param secret whether to hide the value in notes
   */
  needed<T>(column: string, field: Field<T>, { secret = false } = {}): T {
    const value = this.raw(column);
    const read = field.read(value ?? '');
    if (!read.ok || !this.isText(column)) throw new BadRow(noteOf('bad_row', column, secret ? null : value));
    return read.value;
  }

  /** A number from 0 to `max`; null for NULL, and with a note for any other value. */
  number(column: string, max: number): number | null {
    const text = this.raw(column);
    if (text === null) return null;
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number <= max) return number;
    this.note('out_of_range', column, text);
    return null;
  }

  /** A number from 1 to `max`, which names something; `otherwise` with a note for any other value. */
  numbered<N extends number>(column: string, max: N, otherwise: N, code: NoteCode): N {
    const text = this.raw(column) ?? '';
    const number = /^\d+$/.test(text) ? Number(text) : 0;
    if (number >= 1 && number <= max) return number as N;
    this.note(code, column, text);
    return otherwise;
  }

  date(column: string): Datetime | null {
    const text = this.raw(column);
    if (text === null) return null;
    const date = ZERO_DATE.test(text) ? null : parseDatetime(text.replace(/\.0+$/, ''));
    if (date === null) this.note(ZERO_DATE.test(text) ? 'zero_date' : 'bad_date', column, text);
    return date;
  }

  neededDate(column: string): Datetime {
    if (this.raw(column) === null) this.note('no_date', column);
    return this.date(column) ?? this.#now;
  }
}

export const noteOf = (code: NoteCode, column: string | null, value: string | null = null): Note => ({
  code,
  column,
  value: value === null ? null : first(value, NOTE_MAX).toWellFormed(),
});

/** The first characters of a text, which may be very long. */
const first = (text: string, count: number): string => [...text.slice(0, 2 * count)].slice(0, count).join('');
