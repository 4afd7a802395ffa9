import type { FastifyInstance } from 'fastify';
import { listAudit, listUsage } from '../../app/audit/audit.ts';
import { auditFilterShape, usageFilterShape } from '../../domain/audit.ts';
import { unwrap } from '../errors.ts';
import type { Services } from '../services.ts';
import { BY_CURSOR, BY_NUMBER } from './paging.ts';
import { presentAuditEntry, presentUsageCount } from './present.ts';
import { v1Router } from './route.ts';
import { AuditEntry, UsageCount } from './schemas.ts';

export function auditRoutes(app: FastifyInstance, { store }: Services): void {
  const route = v1Router(app, 'Audit');

  route.list('/audit', {
    operationId: 'listAuditEntries',
    summary: 'List changes and who made them, newest first',
    description:
      'Activations, deactivations, validations and downloads are counted instead. License keys are masked except for ' +
      'their last four characters. A `to` without a time is the start of that day: to include the day, give the time ' +
      '`23:59:59`.',
    endpoint: 'audit.list',
    paging: BY_CURSOR,
    filter: auditFilterShape,
    sends: { subject: 'license:7' },
    record: AuditEntry,
    errors: ['audit_not_allowed'],
    find: async ({ input: { filter, page }, actor }) =>
      unwrap(await listAudit(store.read, filter, page, actor)),
    present: presentAuditEntry,
  });

  route.list('/audit/counts', {
    operationId: 'countUsage',
    summary: 'Count activations, deactivations and validations by day, newest day first',
    description: 'Only successful ones. The counts may lack the last ten seconds.',
    endpoint: 'audit.counts',
    paging: BY_NUMBER,
    filter: usageFilterShape,
    sends: { from: '2031-02-01' },
    record: UsageCount,
    errors: ['audit_not_allowed'],
    find: async ({ input: { filter, page }, actor }) =>
      unwrap(await listUsage(store.read, filter, page, actor)),
    present: presentUsageCount,
  });
}
