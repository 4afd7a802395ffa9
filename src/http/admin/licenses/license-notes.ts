import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { etagOf } from '../../../app/etags.ts';
import { getNotes } from '../../../app/licenses/notes.ts';
import { type LicenseNotes, metaObject, notesShape } from '../../../domain/licenses/license-notes.ts';
import { record } from '../../docs/components.ts';
import { unwrap } from '../../errors.ts';
import { update } from '../../input.ts';
import type { Services } from '../../services.ts';
import { adminRouter, etag, idOf, nullable } from '../route.ts';

const Text = nullable(Type.String());
const NotesRecord = record('LicenseNotes', {
  note: Text,
  tags: Type.Array(Type.String()),
  /** Values by name; a list if a name has several values. */
  meta: Type.Record(Type.String(), Type.Union([Text, Type.Array(Text)])),
  etag,
});

/** Maximum number of tags to offer for selection. */
const TAGS_MAX = 500;

export function licenseNoteRoutes(app: FastifyInstance, { store }: Services): void {
  const { read } = store;
  const route = adminRouter(app, 'Licenses');
  const present = ({ note, tags, meta }: LicenseNotes) => ({
    note,
    tags,
    meta: metaObject(meta),
    etag: etagOf('license_notes', { note, tags, meta }, read.licenses),
  });
  const idIn = ({ license_id }: { license_id: string }) => idOf(license_id, 'license');

  route.get('/licenses/:license_id/notes', {
    operationId: 'getLicenseNotes',
    summary: 'Get the note, the tags and the metadata of a license',
    session: 'records.read',
    data: NotesRecord,
    handler: async ({ params, actor }) => present(unwrap(await getNotes(read, idIn(params), actor))),
  });

  route.patch('/licenses/:license_id/notes', {
    operationId: 'updateLicenseNotes',
    summary: 'Change what is sent of the note, the tags and the metadata of a license; null clears it',
    description: 'Metadata is replaced as a whole.',
    session: 'licenses.write',
    edits: 'license_notes',
    input: update(notesShape),
    data: NotesRecord,
    handler: async ({ params, input: changes, execute }) =>
      present(await execute('update-license-notes', { id: idIn(params), changes })),
  });

  route.get('/tags', {
    operationId: 'listTags',
    summary: 'List the tags that licenses have',
    session: 'records.read',
    data: Type.Object({ items: Type.Array(Type.String()) }),
    handler: async () => ({ items: await read.notes.tags(TAGS_MAX) }),
  });
}
