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
import { consoleActorOf } from '../../people/session.ts';
import { createInput } from '../../requests.ts';
import type { Services } from '../../services.ts';
import { adminPageOf, nextOf, onePage, pageQuery } from '../paging.ts';
import { adminSchema, nullable, pageOf } from '../route-schema.ts';

const tags = ['Audit'];

const values = nullable(Type.Record(Type.String(), Type.Unknown()));

export const AuditRecord = Type.Object({
  id: Type.Integer(),
  at: Type.String(),
  action: Type.Enum(AUDIT_ACTIONS),
  via: Type.Enum(VIAS),
  user_id: Type.Integer(),
  /** Null where the user is gone. */
  user_name: nullable(Type.String()),
  api_key_id: nullable(Type.Integer()),
  /** Null where it was done with none. */
  api_key_description: nullable(Type.String()),
  origin: nullable(Type.String()),
  subject_type: Type.Enum(SUBJECT_TYPES),
  subject_id: nullable(Type.Integer()),
  /** What the subject is called, where it is a user or an API key. */
  subject_name: nullable(Type.String()),
  before: values,
  after: values,
  about: values,
});

const filterShape = { ...auditFilterShape, via: optional(oneOf(VIAS)) };

/** With the names of those whom the entries name by their ids. */
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
  return entries.map(({ subject, details, ...entry }) => ({
    ...{ id: entry.id, at: entry.at, action: entry.action, via: entry.via },
    ...{ user_id: entry.userId, user_name: users.get(entry.userId) ?? null },
    api_key_id: entry.apiKeyId,
    api_key_description: entry.apiKeyId === null ? null : (descriptions.get(entry.apiKeyId) ?? null),
    origin: entry.origin,
    subject_type: subject.type,
    subject_id: subject.id,
    subject_name: (subject.id !== null && names[subject.type]?.get(subject.id)) || null,
    before: details.before ?? null,
    after: details.after ?? null,
    about: details.about ?? null,
  }));
}

const UserName = Type.Object({ id: Type.Integer(), name: Type.String() });

export function auditRoutes(app: FastifyInstance, { store }: Services): void {
  app.get('/audit/users', {
    config: { session: 'audit.read' },
    schema: adminSchema({
      operationId: 'listAuditUsers',
      summary: 'List who can sign in by name, to filter the audit trail by',
      tags,
      data: pageOf(UserName),
    }),
    handler: async () => onePage((await store.read.users.list()).map(({ id, name }) => ({ id, name }))),
  });

  app.get('/audit', {
    config: { session: 'audit.read' },
    schema: adminSchema({
      operationId: 'listAudit',
      summary: 'List who changed what, newest first',
      tags,
      query: pageQuery(filterShape),
      data: Type.Object({
        ...pageOf(AuditRecord).properties,
        /** Where the chain of the trail ends, to be noted elsewhere; null where it has no place yet. */
        head: nullable(Type.String()),
      }),
    }),
    handler: async (request) => {
      const page = adminPageOf(request);
      const filter = createInput(filterShape, request);
      const listed = unwrap(
        await listAudit(
          store.read,
          filter,
          { before: page.before, limit: page.limit },
          consoleActorOf(request),
        ),
      );
      const head = await store.read.audit.head();
      return {
        items: await presentAudit(store, listed.items),
        next: nextOf(listed),
        total: null,
        total_is_more: false,
        head: head && headText(head),
      };
    },
  });
}
