import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { listAudit } from '../../../app/audit/audit.ts';
import { createDashboard } from '../../../app/reports/dashboard.ts';
import { AUDIT_ACTIONS, type AuditEntry, SUBJECT_TYPES } from '../../../domain/audit.ts';
import { addDays, type Datetime, toDatetime } from '../../../domain/datetime.ts';
import { integer, optional } from '../../../domain/fields.ts';
import { maskedKey } from '../../../domain/license.ts';
import type { Call } from '../../call.ts';
import { unwrap } from '../../errors.ts';
import { query } from '../../input.ts';
import { mayAlso } from '../../people/session.ts';
import { presenter } from '../../presenter.ts';
import type { Services } from '../../services.ts';
import { adminRouter, nullable } from '../route.ts';

const DAYS = 30;
const DAYS_MAX = 90;
const SOON_DAYS = 30;
const SHOWN = 10;
/** Older events are not news, and searching for rare events further back is slow. */
const EVENT_DAYS = 30;

const Day = Type.Object({
  day: Type.String({ description: 'YYYY-MM-DD, UTC' }),
  activations: Type.Integer(),
  deactivations: Type.Integer(),
  validations: Type.Integer(),
  downloads: Type.Integer(),
  licenses: Type.Integer({ description: 'Created on this day and not deleted since' }),
});

const ExpiringLicense = Type.Object({
  id: Type.Integer(),
  license_key: Type.String({ description: 'Masked' }),
  product_id: nullable(Type.Integer()),
  order_id: nullable(Type.Integer()),
  user_id: nullable(Type.Integer()),
  status: Type.Integer(),
  times_activated: Type.Integer(),
  expires_at: Type.String(),
});

const presentExpiring = presenter(ExpiringLicense);

const Event = Type.Object({
  id: Type.Integer(),
  at: Type.String(),
  action: Type.Enum(AUDIT_ACTIONS),
  subject_type: Type.Enum(SUBJECT_TYPES),
  subject_id: nullable(Type.Integer()),
  /** The name of a user, a generator or software, or the name and version of a release; null if it is gone. */
  subject_name: nullable(Type.String()),
  /** The software of a release. */
  software_id: nullable(Type.Integer()),
  /** Null if the reader may not see the audit trail, or if the user is gone. */
  user_name: nullable(Type.String()),
});

const Dashboard = Type.Object({
  /** The time of the counts. Activations, deactivations and validations may lack the last ten seconds. */
  counted_at: Type.String(),
  totals: Type.Object({
    licenses: Type.Integer(),
    generators: Type.Integer(),
    software: Type.Integer(),
    /** Up to a minute old. */
    by_status: Type.Array(Type.Object({ status: Type.Integer(), licenses: Type.Integer() })),
  }),
  /** One item a day up to today, oldest first. */
  days: Type.Array(Day),
  expiring: Type.Object({
    within_days: Type.Integer(),
    items: Type.Array(ExpiringLicense),
    total: Type.Integer(),
    total_is_more: Type.Boolean(),
  }),
  events: Type.Array(Event),
  /** The base address of the v1 API. */
  api_root: Type.String(),
});

const shape = {
  days: optional(integer({ min: 1, max: DAYS_MAX, description: `Days up to today; ${DAYS} by default` })),
};

/** The actions that every user may see: none of users, API keys or master keys. */
const OPEN_ACTIONS = AUDIT_ACTIONS.filter((action) => /^(generator|license|release|software)\./.test(action));

export function dashboardRoutes(app: FastifyInstance, services: Services): void {
  const { store, clock, installation } = services;
  const dashboard = createDashboard(services);

  /** One query for each name: there are only a few events. */
  async function namesOf({ type, id }: AuditEntry['subject']) {
    const { software, releases, generators, users } = store.read;
    const release = type === 'release' && id !== null ? await releases.find(id) : null;
    const softwareId = type === 'software' ? id : (release?.softwareId ?? null);
    const of = softwareId === null ? null : await software.find(softwareId);
    const named = { subject_name: of?.name ?? null, software_id: null };
    if (release && of) return { subject_name: `${of.name} ${release.version}`, software_id: of.id };
    if (id !== null && type === 'generator')
      return { ...named, subject_name: (await generators.find(id))?.name ?? null };
    if (id !== null && type === 'user')
      return { ...named, subject_name: (await users.names([id])).get(id) ?? null };
    return named;
  }

  async function eventsFor({ request, actor }: Call) {
    const mayAudit = mayAlso(request, 'audit.read');
    const action = mayAudit ? null : OPEN_ACTIONS;
    const from = addDays(toDatetime(clock()), -EVENT_DAYS) as Datetime;
    const filter = { action, subject: null, apiKeyId: null, userId: null, from, to: null };
    const page = { before: null, limit: SHOWN };
    const { items } = unwrap(await listAudit(store.read, filter, page, actor));
    const names = await store.read.users.names(
      mayAudit ? [...new Set(items.map(({ userId }) => userId))] : [],
    );
    const events = items.map(async ({ id, at, action, subject, userId }) => ({
      ...{ id, at, action, subject_type: subject.type, subject_id: subject.id },
      ...(await namesOf(subject)),
      user_name: names.get(userId) ?? null,
    }));
    return Promise.all(events);
  }

  adminRouter(app, 'Dashboard').get('/dashboard', {
    operationId: 'getDashboard',
    summary: 'Get totals, activity by day, licenses that expire soon, and the latest events',
    session: 'records.read',
    input: query(shape),
    data: Dashboard,
    async handler(call) {
      const countedAt = toDatetime(clock());
      const [totals, days, expiring, events] = await Promise.all([
        dashboard.totals(),
        dashboard.days(call.input.days ?? DAYS),
        dashboard.expiring(SOON_DAYS, SHOWN),
        eventsFor(call),
      ]);
      return {
        counted_at: countedAt,
        totals: {
          ...{ licenses: totals.licenses, generators: totals.generators, software: totals.software },
          by_status: totals.byStatus.map((licenses, i) => ({ status: i + 1, licenses })),
        },
        days,
        expiring: {
          within_days: SOON_DAYS,
          items: expiring.items.map((license) =>
            presentExpiring({
              ...license,
              licenseKey: maskedKey(license.key),
              expiresAt: license.expiresAt as Datetime,
            }),
          ),
          total: expiring.total,
          total_is_more: expiring.isMore,
        },
        events,
        api_root: call.request.publicOrigin() + installation.apiPath,
      };
    },
  });
}
