import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
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
import type { Services } from '../../services.ts';
import { onePage, pageById, pageOf, pageQuery } from '../paging.ts';
import { adminRouter, nullable } from '../route.ts';
import { subjectNames } from './subject-names.ts';

const values = nullable(Type.Record(Type.String(), Type.Unknown()));

export const AuditRecord = Type.Object({
  id: Type.Integer(),
  at: Type.String(),
  action: Type.Enum(AUDIT_ACTIONS),
  via: Type.Enum(VIAS),
  user_id: Type.Integer(),
  /** Null if the user is gone, and for entries that no person caused in the console. */
  user_name: nullable(Type.String()),
  api_key_id: nullable(Type.Integer()),
  /** Null if no API key was used. */
  api_key_description: nullable(Type.String()),
  origin: nullable(Type.String()),
  subject_type: Type.Enum(SUBJECT_TYPES),
  subject_id: nullable(Type.Integer()),
  /** The name of a record, the description of an API key, or the software and version of a release. */
  subject_name: nullable(Type.String()),
  /** Id of the software, if the entry is about a release that still exists; otherwise null. */
  software_id: nullable(Type.Integer()),
  before: values,
  after: values,
  about: values,
});

const { via, user_id, user_name, api_key_id, api_key_description, origin } = AuditRecord.properties;
/** Who made a change. */
export const By = Type.Object({ via, user_id, user_name, api_key_id, api_key_description, origin });

/** What only users who may read the audit trail see of who made a change. */
export const OF_AUDITORS = { apiKeyId: null, apiKeyDescription: null, origin: null };
const filterShape = { ...auditFilterShape, via: optional(oneOf(VIAS)) };

/**
 * Returns audit entries with the names of the users, API keys and records whose ids they contain. Users are named only in
 * entries of the console: the command line and the system also act as user 1, whoever that is.
 */
export async function namedEntries({ read }: Services['store'], entries: readonly AuditEntry[]) {
  const people = entries.flatMap(({ via, userId }) => (via === 'console' ? userId : []));
  const [users, apiKeys] = await Promise.all([read.users.names([...new Set(people)]), read.apiKeys.list()]);
  const descriptions = new Map(apiKeys.map(({ id, description }) => [id, description]));
  const subjectOf = await subjectNames(read, entries, descriptions);
  return entries.map((entry) => {
    const { subject, details, ...rest } = entry;
    const { name, softwareId } = subjectOf(entry);
    return {
      ...rest,
      userName: rest.via === 'console' ? (users.get(rest.userId) ?? null) : null,
      apiKeyDescription: rest.apiKeyId === null ? null : (descriptions.get(rest.apiKeyId) ?? null),
      subjectType: subject.type,
      subjectId: subject.id,
      subjectName: name,
      softwareId,
      before: details.before ?? null,
      after: details.after ?? null,
      about: details.about ?? null,
    };
  });
}

export function auditRoutes(app: FastifyInstance, { store }: Services): void {
  const route = adminRouter(app, 'Audit');

  route.get('/audit/users', {
    operationId: 'listAuditUsers',
    summary: 'List the names of users, to filter the audit trail by',
    session: 'audit.read',
    data: pageOf(Type.Object({ id: Type.Integer(), name: Type.String() })),
    handler: async () => onePage(await store.read.users.list()),
  });

  route.get('/audit', {
    operationId: 'listAudit',
    summary: 'List changes and who made them, newest first',
    session: 'audit.read',
    input: pageQuery(filterShape),
    data: Type.Object({
      ...pageOf(AuditRecord).properties,
      /** The end of the hash chain, to be kept outside the server; null while the trail is empty. */
      head: nullable(Type.String()),
    }),
    async handler({ input: { filter, page }, actor }) {
      // A filter by user means people, who act in the console: the command line and the system also have the id of user 1.
      const via = filter.via ?? (filter.userId === null ? null : 'console');
      const listed = unwrap(await listAudit(store.read, { ...filter, via }, page, actor));
      const head = await store.read.audit.head();
      const items = await namedEntries(store, listed.items);
      return { ...pageById(items, listed), head: head && headText(head) };
    },
  });
}
