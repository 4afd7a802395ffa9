import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { listAudit } from '../../../app/audit/audit.ts';
import { VIAS } from '../../../domain/actor.ts';
import {
  AUDIT_ACTIONS,
  type AuditEntry,
  auditFilterShape,
  headText,
  SUBJECT_TYPES,
} from '../../../domain/audit.ts';
import { oneOf, optional } from '../../../domain/fields.ts';
import { unwrap } from '../../errors.ts';
import { presenter } from '../../presenter.ts';
import type { Services } from '../../services.ts';
import { onePage, pageById, pageOf, pageQuery } from '../paging.ts';
import { adminRouter, nullable } from '../route.ts';

const values = nullable(Type.Record(Type.String(), Type.Unknown()));

export const AuditRecord = Type.Object({
  id: Type.Integer(),
  at: Type.String(),
  action: Type.Enum(AUDIT_ACTIONS),
  via: Type.Enum(VIAS),
  user_id: Type.Integer(),
  /** Null if the user is gone. */
  user_name: nullable(Type.String()),
  api_key_id: nullable(Type.Integer()),
  /** Null without an API key. */
  api_key_description: nullable(Type.String()),
  origin: nullable(Type.String()),
  subject_type: Type.Enum(SUBJECT_TYPES),
  subject_id: nullable(Type.Integer()),
  /** The name of a user, or the description of an API key. */
  subject_name: nullable(Type.String()),
  before: values,
  after: values,
  about: values,
});

const presentEntry = presenter(AuditRecord);
const filterShape = { ...auditFilterShape, via: optional(oneOf(VIAS)) };

/** Presents entries with the names of the users and API keys that they contain ids of. */
export async function presentAudit(
  { read }: Services['store'],
  entries: readonly AuditEntry[],
): Promise<Static<typeof AuditRecord>[]> {
  const idsOf = (type: string) =>
    entries.flatMap(({ subject }) => (subject.type === type ? (subject.id ?? []) : []));
  const userIds = new Set([...entries.map(({ userId }) => userId), ...idsOf('user')]);
  const [users, apiKeys] = await Promise.all([read.users.names([...userIds]), read.apiKeys.list()]);
  const descriptions = new Map(apiKeys.map(({ id, description }) => [id, description]));
  const names = { user: users, api_key: descriptions } as Partial<Record<string, Map<number, string>>>;
  return entries.map(({ subject, details, ...entry }) =>
    presentEntry({
      ...entry,
      userName: users.get(entry.userId) ?? null,
      apiKeyDescription: entry.apiKeyId === null ? null : (descriptions.get(entry.apiKeyId) ?? null),
      subjectType: subject.type,
      subjectId: subject.id,
      subjectName: (subject.id !== null && names[subject.type]?.get(subject.id)) || null,
      before: details.before ?? null,
      after: details.after ?? null,
      about: details.about ?? null,
    }),
  );
}

export function auditRoutes(app: FastifyInstance, { store }: Services): void {
  const route = adminRouter(app, 'Audit');

  route.get('/audit/users', {
    operationId: 'listAuditUsers',
    summary: 'List the names of users, to filter the audit trail by',
    session: 'audit.read',
    data: pageOf(Type.Object({ id: Type.Integer(), name: Type.String() })),
    handler: async () => onePage((await store.read.users.list()).map(({ id, name }) => ({ id, name }))),
  });

  route.get('/audit', {
    operationId: 'listAudit',
    summary: 'List changes and who made them, newest first',
    session: 'audit.read',
    input: pageQuery(filterShape),
    data: Type.Object({
      ...pageOf(AuditRecord).properties,
      /** The end of the hash chain, to be noted outside the server; null while the trail is empty. */
      head: nullable(Type.String()),
    }),
    async handler({ input: { filter, page }, actor }) {
      const listed = unwrap(await listAudit(store.read, filter, page, actor));
      const head = await store.read.audit.head();
      const items = await presentAudit(store, listed.items);
      return { ...pageById(items, listed), head: head && headText(head) };
    },
  });
}
