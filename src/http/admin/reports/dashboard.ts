import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { listAudit } from '../../../app/audit/audit.ts';
import { createDashboard } from '../../../app/reports/dashboard.ts';
import { AUDIT_ACTIONS, type AuditEntry, SUBJECT_TYPES } from '../../../domain/audit.ts';
import { addDays, type Datetime, toDatetime } from '../../../domain/datetime.ts';
import { integer, optional } from '../../../domain/fields.ts';
import { maskedKey } from '../../../domain/license.ts';
import { unwrap } from '../../errors.ts';
import { parameterSchema } from '../../parameter-schema.ts';
import { consoleActorOf, mayAlso } from '../../people/session.ts';
import { createInput } from '../../requests.ts';
import type { Services } from '../../services.ts';
import { adminSchema, nullable } from '../route-schema.ts';

const tags = ['Dashboard'];
const DAYS = 30;
const DAYS_MAX = 90;
const SOON_DAYS = 30;
const SHOWN = 10;
/** Events further back are no news, and looking for rare ones takes long. */
const EVENT_DAYS = 30;

const Day = Type.Object({
  day: Type.String({ description: 'YYYY-MM-DD, UTC' }),
  activations: Type.Integer(),
  deactivations: Type.Integer(),
  validations: Type.Integer(),
  downloads: Type.Integer(),
  licenses: Type.Integer({ description: 'Made on it, and still there' }),
});

const ExpiringLicense = Type.Object({
  id: Type.Integer(),
  license_key: Type.String({ description: 'Its end' }),
  product_id: nullable(Type.Integer()),
  order_id: nullable(Type.Integer()),
  user_id: nullable(Type.Integer()),
  status: Type.Integer(),
  times_activated: Type.Integer(),
  expires_at: Type.String(),
});

const Event = Type.Object({
  id: Type.Integer(),
  at: Type.String(),
  action: Type.Enum(AUDIT_ACTIONS),
  subject_type: Type.Enum(SUBJECT_TYPES),
  subject_id: nullable(Type.Integer()),
  /** What the subject is called: a user, a generator, software, or a release with its version; null where it is gone. */
  subject_name: nullable(Type.String()),
  /** Of which a release is. */
  software_id: nullable(Type.Integer()),
  /** Who it was; null where the reader may not see the audit trail, or the user is gone. */
  user_name: nullable(Type.String()),
});

const Dashboard = Type.Object({
  /** When it was counted; activations, deactivations and validations are complete up to ten seconds before. */
  counted_at: Type.String(),
  totals: Type.Object({
    licenses: Type.Integer(),
    generators: Type.Integer(),
    software: Type.Integer(),
    /** May be a minute old. */
    by_status: Type.Array(Type.Object({ status: Type.Integer(), licenses: Type.Integer() })),
  }),
  /** Each day up to today, the oldest first. */
  days: Type.Array(Day),
  expiring: Type.Object({
    within_days: Type.Integer(),
    items: Type.Array(ExpiringLicense),
    total: Type.Integer(),
    total_is_more: Type.Boolean(),
  }),
  events: Type.Array(Event),
  /** Where the v1 API is. */
  api_root: Type.String(),
});

const shape = {
  days: optional(integer({ min: 1, max: DAYS_MAX, description: `Days up to today; ${DAYS} when not sent` })),
};

/** What everybody may be told of: no users, API keys or master keys. */
const OPEN_ACTIONS = AUDIT_ACTIONS.filter((action) => /^(generator|license|release|software)\./.test(action));

export function dashboardRoutes(app: FastifyInstance, services: Services): void {
  const { store, clock, installation } = services;
  const dashboard = createDashboard(services);

  /** Of few: each is looked up by its id. */
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

  async function eventsFor(request: FastifyRequest) {
    const mayAudit = mayAlso(request, 'audit.read');
    const action = mayAudit ? null : OPEN_ACTIONS;
    const from = addDays(toDatetime(clock()), -EVENT_DAYS) as Datetime;
    const filter = { action, subject: null, apiKeyId: null, userId: null, from, to: null };
    const page = { before: null, limit: SHOWN };
    const { items } = unwrap(await listAudit(store.read, filter, page, consoleActorOf(request)));
    const names = await store.read.users.names(
      mayAudit ? [...new Set(items.map(({ userId }) => userId))] : [],
    );
    const told = items.map(async ({ id, at, action, subject, userId }) => ({
      ...{ id, at, action, subject_type: subject.type, subject_id: subject.id },
      ...(await namesOf(subject)),
      user_name: names.get(userId) ?? null,
    }));
    return Promise.all(told);
  }

  app.get('/dashboard', {
    config: { session: 'records.read' },
    schema: adminSchema({
      operationId: 'getDashboard',
      summary: 'Sum up what there is, what happens, and what is due',
      tags,
      query: parameterSchema(shape, 'query'),
      data: Dashboard,
    }),
    handler: async (request) => {
      const count = createInput(shape, request).days ?? DAYS;
      const countedAt = toDatetime(clock());
      const [totals, days, expiring, events] = await Promise.all([
        dashboard.totals(),
        dashboard.days(count),
        dashboard.expiring(SOON_DAYS, SHOWN),
        eventsFor(request),
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
          items: expiring.items.map((license) => ({
            id: license.id,
            license_key: maskedKey(license.key),
            product_id: license.productId,
            order_id: license.orderId,
            user_id: license.userId,
            status: license.status,
            times_activated: license.timesActivated,
            expires_at: license.expiresAt as Datetime,
          })),
          total: expiring.total,
          total_is_more: expiring.isMore,
        },
        events,
        api_root: request.publicOrigin() + installation.apiPath,
      };
    },
  });
}
