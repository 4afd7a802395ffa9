import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { listAudit, listUsage } from '../../app/audit/audit.ts';
import { auditFilterShape, usageFilterShape } from '../../domain/audit.ts';
import { actorOf } from '../authentication.ts';
import { unwrap } from '../errors.ts';
import { parameterSchema } from '../parameter-schema.ts';
import { createInput } from '../requests.ts';
import type { Services } from '../services.ts';
import {
  addNextHeader,
  addPagingHeaders,
  cursorOf,
  cursorShape,
  NEXT_HEADER,
  PAGING_HEADERS,
  pagingOf,
  pagingShape,
} from './paging.ts';
import { presentAuditEntry, presentUsageCount, success } from './present.ts';
import { routeSchema } from './route-schema.ts';
import { AuditEntry, UsageCount } from './schemas.ts';

const tags = ['Audit'];

export function auditRoutes(app: FastifyInstance, { store }: Services): void {
  app.get('/audit', {
    config: { endpoint: 'audit.list' },
    schema: routeSchema({
      summary: 'List who changed what, newest first',
      description:
        'Activations, deactivations, validations and downloads are counted instead. License keys show their last four ' +
        'characters at most. To walk through all of it, follow the next links.',
      tags,
      query: parameterSchema({ ...cursorShape, ...auditFilterShape }, 'query'),
      data: Type.Array(AuditEntry),
      headers: NEXT_HEADER,
      errors: ['audit_not_allowed', 'invalid_paging', 'invalid_values'],
    }),
    handler: async (request, reply) => {
      const cursor = cursorOf(request);
      const filter = createInput(auditFilterShape, request);
      const { items, more } = unwrap(await listAudit(store.read, filter, cursor, actorOf(request)));
      const last = items.at(-1);
      if (more && last) addNextHeader(request, reply, last.id);
      return success(items.map(presentAuditEntry));
    },
  });

  app.get('/audit/counts', {
    config: { endpoint: 'audit.counts' },
    schema: routeSchema({
      summary: 'Count activations, deactivations and validations by day, newest day first',
      description: 'Of those that were answered with success; each count is written within some ten seconds.',
      tags,
      query: parameterSchema({ ...pagingShape, ...usageFilterShape }, 'query'),
      data: Type.Array(UsageCount),
      headers: PAGING_HEADERS,
      errors: ['audit_not_allowed', 'invalid_paging', 'invalid_values'],
    }),
    handler: async (request, reply) => {
      const paging = pagingOf(request);
      const filter = createInput(usageFilterShape, request);
      const listed = unwrap(await listUsage(store.read, filter, paging, actorOf(request)));
      addPagingHeaders(request, reply, paging, listed);
      return success(listed.items.map(presentUsageCount));
    },
  });
}
