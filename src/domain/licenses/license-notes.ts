import {
  bad,
  type Changes,
  type Field,
  good,
  isObject,
  listOf,
  optional,
  refined,
  separated,
  text,
} from '../fields.ts';

/** What people note about a license. Programs never see it. */
export interface LicenseNotes {
  note: string | null;
  tags: readonly string[];
  /** Metadata: values by name. A name may repeat, as in the WordPress plugins. */
  meta: readonly MetaEntry[];
}
export interface MetaEntry {
  name: string;
  value: string | null;
}

export const NO_NOTES: LicenseNotes = { note: null, tags: [], meta: [] };

const NOTE_MAX = 10_000;
const TAG_MAX = 50;
const TAGS_MAX = 20;
const META_MAX = 100;

const note = refined(text({ max: NOTE_MAX, description: 'For your staff' }), (sent) =>
  sent.trim() === '' ? bad('blank') : good(sent.replaceAll('\r\n', '\n')),
);

export const tag: Field<string> = refined(text({ min: 1, max: TAG_MAX }), (sent) => {
  const name = sent.trim().normalize();
  return name === '' || /[,\p{Cc}]/u.test(name) ? bad('not_tag') : good(name);
});
const tags = separated(listOf(tag, TAGS_MAX, 'Names without commas. Also as text, separated by commas'));

const metaName = text({ min: 1, max: 255 });
/** A value of metadata. Values that were moved in from a shop may be longer. */
export const metaValue = text({ max: NOTE_MAX });

/** A field for a JSON object of texts, with a list of texts for a repeated name. In files, the object is JSON text. */
const meta: Field<readonly MetaEntry[]> = {
  schema: {
    type: ['object', 'string'],
    additionalProperties: {
      anyOf: [{ type: ['string', 'null'] }, { type: 'array', items: { type: ['string', 'null'] } }],
    },
    description: `At most ${META_MAX} values by name; a list for a repeated name`,
  },
  read(sent) {
    const value = typeof sent === 'string' ? parsed(sent) : sent;
    if (!isObject(value)) return notMeta();
    const entries = Object.entries(value).flatMap(([name, one]) =>
      [one].flat().map((part) => ({ name, value: part })),
    );
    const isGood = entries.every(
      ({ name, value }) => metaName.read(name).ok && (value === null || metaValue.read(value).ok),
    );
    return isGood && entries.length <= META_MAX ? good(entries as MetaEntry[]) : notMeta();
  },
};
const notMeta = () => bad('not_meta', { max: META_MAX, length: NOTE_MAX });

function parsed(sent: string): unknown {
  try {
    return JSON.parse(sent);
  } catch {
    return null;
  }
}

export const notesShape = { note: optional(note), tags: optional(tags), meta: optional(meta) };
/** The notes that were sent; null clears a value. */
export type NotesInput = Changes<typeof notesShape>;

/** Returns metadata as a JSON object, with a list for a repeated name. */
export function metaObject(entries: readonly MetaEntry[]): Record<string, string | null | (string | null)[]> {
  const values = Map.groupBy(entries, ({ name }) => name);
  return Object.fromEntries(
    [...values].map(([name, some]) => [
      name,
      some.length === 1 ? (some[0]?.value ?? null) : some.map(({ value }) => value),
    ]),
  );
}

/** Maximum number of words of a note that are indexed for searches, and of characters of each. */
const WORDS_MAX = 200;
const WORD_MAX = 32;

/** Returns the distinct words of a text, in lower case. */
export const wordsOf = (text: string): string[] =>
  [
    ...new Set(
      (
        text
          .normalize('NFKC')
          .toLowerCase()
          .match(/[\p{L}\p{N}]+/gu) ?? []
      ).map((word) => [...word].slice(0, WORD_MAX).join('')),
    ),
  ].slice(0, WORDS_MAX);
