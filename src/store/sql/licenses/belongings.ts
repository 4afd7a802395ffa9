import { parseJson, type RowOf } from '../record.ts';
import { type Connection, type Database, execute } from '../statement.ts';
import { noteWriter } from './notes.ts';

/** Rows of other tables that belong to a license, and go to the trash with it. */
interface Belongings {
  notes: RowOf<'license_notes'> | null;
  /** With their ids, by which a later move recognizes rows that came from a shop. */
  meta: RowOf<'license_meta'>[];
  forgotten: RowOf<'forgotten_activations'> | null;
}

/** Saves and restores the rows that belong to a license in the trash. */
export function belongingsOf(db: Database) {
  const writeNote = noteWriter(db);
  return {
    /** Reads the rows that belong to a license. @returns JSON; null if there are none */
    async take(connection: Connection, id: number): Promise<string | null> {
      const notesOf = db.selectFrom('license_notes').selectAll().where('license_id', '=', id);
      const metaOf = db.selectFrom('license_meta').selectAll().where('license_id', '=', id);
      const forgottenOf = db.selectFrom('forgotten_activations').selectAll().where('license_id', '=', id);
      const [notes] = (await execute(connection, notesOf)).rows;
      const meta = (await execute(connection, metaOf.orderBy('id'))).rows;
      const [forgotten] = (await execute(connection, forgottenOf)).rows;
      if (!notes && meta.length === 0 && !forgotten) return null;
      const kept: Belongings = { notes: notes ?? null, meta, forgotten: forgotten ?? null };
      return JSON.stringify(kept);
    },
    /** Ids of all metadata in the trash. */
    async metaIds(connection: Connection): Promise<ReadonlySet<number>> {
      const query = db.selectFrom('trashed_licenses').select('belongings');
      const { rows } = await execute(connection, query.where('belongings', 'is not', null), { slow: true });
      const kept = rows.map(({ belongings }): Belongings | null => parseJson(belongings));
      return new Set(kept.flatMap((one) => one?.meta ?? []).map(({ id }) => id));
    },
    async give(connection: Connection, id: number, json: string | null): Promise<void> {
      const kept: Belongings | null = parseJson(json);
      if (!kept) return;
      const { notes, meta, forgotten } = kept;
      if (notes) await writeNote(connection, id, { note: notes.note, tags: parseJson(notes.tags) });
      if (meta.length > 0) await execute(connection, db.insertInto('license_meta').values(meta));
      if (forgotten) await execute(connection, db.insertInto('forgotten_activations').values(forgotten));
    },
  };
}
