import { sql } from 'kysely';
import {
  type LicenseNotes,
  type MetaEntry,
  NO_NOTES,
  wordsOf,
} from '../../../domain/licenses/license-notes.ts';
import type { Transaction } from '../../store.ts';
import { parseJson, rowsQuery } from '../record.ts';
import { type Connection, type Database, execute, prepare } from '../statement.ts';
import type { Condition } from './bounded-scan.ts';

/** The first character of the word of a tag. No word of a note has it. */
const TAG_MARK = '#';
/** Sorts after every continuation of a prefix: no text has this byte. */
const HIGHEST = Buffer.from([0xff]);

const wordOfTag = (tag: string) => Buffer.from(TAG_MARK + tag);

/** The condition on `license_words` that a license has a tag. */
export const isTagged = (tag: string): Condition => sql<boolean>`license_words.word = ${wordOfTag(tag)}`;

/** The condition that a license has a word with this beginning in its note. */
export const hasWord = (beginning: string): Condition => {
  const first = Buffer.from(beginning);
  const end = Buffer.concat([first, HIGHEST]);
  return sql<boolean>`license_words.word >= ${first} and license_words.word < ${end}`;
};

/** Turns a condition on `license_words` into one on licenses. The offset keeps PostgreSQL from turning it into a join. */
export const isNoted = (condition: Condition): Condition => sql<boolean>`exists (
  select 1 from license_words where license_words.license_id = licenses.id and ${condition} limit 1 offset 0)`;

/** Returns a function that replaces the note and the tags of a license, and the words that they are found by. */
export function noteWriter(db: Database) {
  const insertWords = rowsQuery(db, 'license_words', ['word', 'license_id']);
  const dropNotes = prepare((p: { id: number }) =>
    db.deleteFrom('license_notes').where('license_id', '=', p.id),
  );
  const dropWords = prepare((p: { id: number }) =>
    db.deleteFrom('license_words').where('license_id', '=', p.id),
  );
  return async function writeNote(
    connection: Connection,
    id: number,
    { note, tags }: Pick<LicenseNotes, 'note' | 'tags'>,
  ): Promise<void> {
    await dropWords(connection, { id });
    if (note === null && tags.length === 0) return void (await dropNotes(connection, { id }));
    const row = { license_id: id, note, tags: JSON.stringify(tags) };
    const upsert = db
      .insertInto('license_notes')
      .values(row)
      .onConflict((c) => c.column('license_id').doUpdateSet({ note: row.note, tags: row.tags }));
    await execute(connection, upsert);
    const words = [...wordsOf(note ?? '').map((word) => Buffer.from(word)), ...tags.map(wordOfTag)];
    await insertWords(
      connection,
      words.map((word) => [word, id]),
    );
  };
}

export function noteQueries(db: Database) {
  const writeNote = noteWriter(db);

  async function of(connection: Connection, ids: readonly number[]): Promise<Map<number, LicenseNotes>> {
    const found = new Map<number, LicenseNotes>();
    if (ids.length === 0) return found;
    const notes = db.selectFrom('license_notes').selectAll().where('license_id', 'in', ids);
    for (const { license_id, note, tags } of (await execute(connection, notes)).rows)
      found.set(license_id, { ...NO_NOTES, note, tags: parseJson(tags) });
    const query = db.selectFrom('license_meta').selectAll().where('license_id', 'in', ids).orderBy('id');
    for (const [id, rows] of Map.groupBy((await execute(connection, query)).rows, (row) => row.license_id))
      found.set(id, {
        ...(found.get(id) ?? NO_NOTES),
        meta: rows.map(({ name, value }) => ({ name, value })),
      });
    return found;
  }

  /**
   * Replaces metadata. Keeps the rows of entries that stay, because a move recognizes rows that came from a shop by
   * their ids.
   */
  async function writeMeta(connection: Connection, id: number, wanted: readonly MetaEntry[]): Promise<void> {
    const query = db.selectFrom('license_meta').selectAll().where('license_id', '=', id).orderBy('id');
    const left = [...wanted];
    const take = (isIt: (entry: MetaEntry) => boolean) => {
      const at = left.findIndex(isIt);
      return at < 0 ? undefined : left.splice(at, 1)[0];
    };
    const { rows } = await execute(connection, query);
    const others = rows.filter((row) => !take((one) => one.name === row.name && one.value === row.value));
    for (const row of others) {
      const now = take((one) => one.name === row.name);
      const change = now
        ? db.updateTable('license_meta').set({ value: now.value }).where('id', '=', row.id)
        : db.deleteFrom('license_meta').where('id', '=', row.id);
      await execute(connection, change);
    }
    if (left.length === 0) return;
    const values = left.map(({ name, value }) => ({ license_id: id, name, value }));
    await execute(connection, db.insertInto('license_meta').values(values));
  }

  return (connection: Connection): Transaction['notes'] => ({
    of: (ids) => of(connection, ids),
    one: async (id) => (await of(connection, [id])).get(id) ?? NO_NOTES,
    async tags(atMost) {
      // Steps through the index from each tag to the next.
      const next = (after: unknown) => sql`(select word from license_words
        where word > ${after} and word < ${Buffer.concat([Buffer.from(TAG_MARK), HIGHEST])}
        order by word limit 1)`;
      const query = sql<{ word: Uint8Array }>`
        with recursive known (word, step) as (
          select ${next(Buffer.from(TAG_MARK))}, 1
          union all
          select ${next(sql`known.word`)}, step + 1 from known where known.word is not null and step < ${atMost}
        )
        select word from known where word is not null`;
      const { rows } = await execute(connection, query.compile(db), { reads: true });
      return rows.map(({ word }) => Buffer.from(word).toString('utf8').slice(TAG_MARK.length));
    },
    async set(id, notes) {
      await writeNote(connection, id, notes);
      await writeMeta(connection, id, notes.meta);
    },
  });
}
