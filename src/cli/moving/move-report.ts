import type { MoveCounts, MoveInReport, MoveNote } from '../../app/moving/move-in.ts';
import { MOVING_KINDS, type MovingKind } from '../../store/store.ts';
import { NOTES } from '../../wordpress/shop.ts';
import { grouped, printable, table } from '../table.ts';

export const KIND_NAMES: Record<MovingKind, string> = {
  generator: 'generators',
  api_key: 'API keys',
  license: 'licenses',
  license_meta: 'values of licenses',
  activation: 'activations',
};

/** What was done with a record that could not be inserted as it is in the shop. */
const FAULTS = {
  exists: 'Another record has the same license key, token or consumer key. It stands for this one, too.',
  key_taken:
    'Its new license key or token belongs to another record. It was not updated; the next move tries again.',
  new_id: 'Its id was taken. The record has a new one.',
  no_license: 'Its license was not moved. The row was not moved.',
  deleted_here: 'It was moved before, and deleted in Latchkey since. It was not created again.',
} as const;

/** What a note says, in a sentence or two. */
export const noteWords = (note: MoveNote): string =>
  'recordId' in note
    ? `${FAULTS[note.code]}${note.recordId === null ? '' : ` Id in Latchkey: ${note.recordId}.`}`
    : NOTES[note.code];

/** The report as JSON: every note in full. */
export const reportValue = ({ counts, notes, left }: MoveInReport) => ({
  counts: Object.fromEntries(
    MOVING_KINDS.map((kind) => {
      const { notMoved: not_moved, ...rest } = counts[kind];
      return [kind, { ...rest, not_moved }];
    }),
  ),
  notes: notes.map((note) => ({
    ...{ kind: note.kind, id: note.id, code: note.code, message: noteWords(note) },
    ...('recordId' in note ? { record_id: note.recordId } : { column: note.column, value: note.value }),
  })),
  not_read: left,
});

/** Examples of each note in the text; --report and --json list all. */
const EXAMPLES = 5;

/** The report as text: a table of counts, the notes by what they say, and the tables that were left. */
export function reportLines({ counts, notes, left }: MoveInReport): string[] {
  const rows = MOVING_KINDS.map((kind) => ({ name: KIND_NAMES[kind], ...counts[kind] }));
  const count = (name: keyof MoveCounts) => (row: MoveCounts) => grouped(row[name]);
  const columns = {
    '': 'name',
    Read: count('read'),
    Created: count('created'),
    Updated: count('updated'),
    Unchanged: count('unchanged'),
    'Not moved': count('notMoved'),
    Gone: count('gone'),
    Deleted: count('deleted'),
  } as const;
  return [
    table(rows, columns),
    ...[...Map.groupBy(notes, (note) => `${note.kind} ${note.code}`).values()].flatMap(notesOfOneSort),
    ...Object.entries(left).map(
      ([name, number]) =>
        `${grouped(number)} rows of ${printable(name)} were left: Latchkey has nothing like them.`,
    ),
  ];
}

function notesOfOneSort(notes: readonly MoveNote[]): string[] {
  const [first] = notes;
  if (!first) return [];
  const words = 'recordId' in first ? FAULTS[first.code] : NOTES[first.code];
  const about = notes.slice(0, EXAMPLES).map((note) => {
    if ('recordId' in note)
      return note.recordId === null ? `${note.id}` : `${note.id} (here ${note.recordId})`;
    const value = note.value === null ? '' : `: ${printable(note.value)}`;
    return note.column === null ? `${note.id}` : `${note.id} (${note.column}${value})`;
  });
  const more = notes.length > EXAMPLES ? `, and ${grouped(notes.length - EXAMPLES)} more` : '';
  return [`${grouped(notes.length)} ${KIND_NAMES[first.kind]}: ${words}`, `  ids ${about.join(', ')}${more}`];
}
