import type { MoveCounts, MoveInReport, MoveNote } from '../../app/moving/move-in.ts';
import { MOVING_KINDS, type MovingKind } from '../../store/store.ts';
import { licenseOfPlaceholder } from '../../wordpress/placeholders.ts';
import { NOTES } from '../../wordpress/shop.ts';
import { counted, grouped, printable, table } from '../table.ts';

/** The singular and the plural of each kind. */
const KIND_NAMES: Record<MovingKind, readonly [string, string]> = {
  generator: ['generator', 'generators'],
  api_key: ['API key', 'API keys'],
  license: ['license', 'licenses'],
  license_meta: ['metadata row', 'license metadata'],
  activation: ['activation', 'activations'],
};

/** What was done with a record that could not be inserted as it is in the shop. */
const FAULTS = {
  exists: 'Another record has the same license key, token or consumer key. It replaces this one.',
  key_taken:
    'Its new license key or token belongs to another record. It was not updated; the next move tries again.',
  new_id: 'The record has another id in Latchkey than in the shop.',
  no_license: 'Its license was not moved. The row was not moved.',
  deleted_here: 'It was moved before, and deleted in Latchkey since. It was not created again.',
} as const;

/** Returns what a note says, in a sentence or two. */
const noteWords = (note: MoveNote): string =>
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
    kind: note.kind,
    id: note.id,
    code: note.code,
    message: noteWords(note),
    ...('recordId' in note ? { record_id: note.recordId } : { column: note.column, value: note.value }),
  })),
  not_read: left,
});

/** Maximum number of rows that the text shows for each note; --report and --json list all. */
const EXAMPLES = 5;

/** Codes of rows that were not moved. Rows with any other code were moved with a change. */
const NOT_MOVED: ReadonlySet<MoveNote['code']> = new Set([
  ...(['not_decrypted', 'bad_row', 'no_endpoints', 'id_twice'] as const),
  ...(['exists', 'key_taken', 'no_license', 'deleted_here'] as const),
]);

/** The report as text: a table of counts, the notes by what they say, and the tables that were not read. */
export function reportLines({ counts, notes, left }: MoveInReport): string[] {
  const rows = MOVING_KINDS.map((kind) => ({ name: KIND_NAMES[kind][1], ...counts[kind] }));
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
  const [notMoved, changed] = [true, false].map((is) =>
    notes.filter(({ code }) => NOT_MOVED.has(code) === is),
  );
  return [
    table(rows, columns),
    ...section('Not moved', notMoved),
    ...section('Moved with a change', changed),
    ...(notes.length === 0 ? [] : ['']),
    ...Object.entries(left).map(
      ([name, number]) =>
        `${grouped(number)} rows of ${printable(name)} were not moved: Latchkey has no equivalent records.`,
    ),
  ];
}

const section = (heading: string, notes: readonly MoveNote[] = []): string[] =>
  notes.length === 0
    ? []
    : [
        '',
        `${heading}:`,
        ...[...Map.groupBy(notes, (note) => `${note.kind} ${note.code}`).values()].flatMap(notesOfOneSort),
      ];

function notesOfOneSort(notes: readonly MoveNote[]): string[] {
  const [first] = notes;
  if (!first) return [];
  const words = 'recordId' in first ? FAULTS[first.code] : NOTES[first.code];
  // A row may have several odd columns. A note without a row is listed by its license.
  const rows = Map.groupBy(notes, ({ id }) => (id < 0 ? licenseOfPlaceholder(id) : id));
  const about = [...rows].slice(0, EXAMPLES).map(([id, ofRow]) => {
    const details = [...new Set(ofRow.map(detailOf))].filter((detail) => detail !== '').join(', ');
    return details === '' ? `${id}` : `${id} (${details})`;
  });
  const more = rows.size > EXAMPLES ? `, and ${grouped(rows.size - EXAMPLES)} more` : '';
  const number = new Set(notes.map(({ id }) => id)).size;
  return [
    `  ${counted(number, ...KIND_NAMES[first.kind])}: ${words}`,
    `    ${first.id < 0 ? 'of licenses' : 'ids'} ${about.join(', ')}${more}`,
  ];
}

function detailOf(note: MoveNote): string {
  if ('recordId' in note) return note.recordId === null ? '' : `here ${note.recordId}`;
  const value = note.value === null ? '' : `: ${printable(note.value)}`;
  return note.column === null ? '' : `${note.column}${value}`;
}

export interface Ending {
  dryRun: boolean;
  deleteGone: boolean;
  keepsHashes: boolean;
  /** The file that has the whole report; null if it was not requested. */
  file: string | null;
}

/** Returns what a person should read last: how the move ended, and what is left to do. */
export function endLines(
  { counts, notes }: MoveInReport,
  { dryRun, deleteGone, keepsHashes, file }: Ending,
): string[] {
  const sum = (what: keyof MoveCounts) =>
    Object.values(counts).reduce((total, ofKind) => total + ofKind[what], 0);
  const gone = sum('gone');
  const notMoved = sum('notMoved');
  const moved =
    notMoved > 0
      ? `Everything was moved but ${counted(notMoved, 'row')}.`
      : `Everything was moved${notes.length === 0 ? '' : ', with the changes above'}.`;
  return [
    ...(keepsHashes ? [] : ['hashed-… addresses of the shop do not work here.']),
    ...(gone > 0 && !deleteGone
      ? [
          `The shop has deleted ${counted(gone, 'row')} since an earlier move; --delete-gone deletes them here.`,
        ]
      : []),
    ...(file === null && notes.length > 0 ? ['--report FILE lists every row, as JSON.'] : []),
    dryRun ? 'This was a dry run: nothing was changed.' : moved,
  ];
}
