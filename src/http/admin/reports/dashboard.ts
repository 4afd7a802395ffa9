import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { listAudit } from '../../../app/audit/audit.ts';
import { createDashboard } from '../../../app/reports/dashboard.ts';
import { AUDIT_ACTIONS, type Usage } from '../../../domain/audit.ts';
import { addDays, type Datetime, toDatetime } from '../../../domain/datetime.ts';
import { integer, optional, reference } from '../../../domain/fields.ts';
import { maskedKey } from '../../../domain/licenses/license.ts';
import type { Call } from '../../call.ts';
import { unwrap } from '../../errors.ts';
import { query } from '../../input.ts';
import { mayAlso } from '../../people/session.ts';
import type { Services } from '../../services.ts';
import { AuditRecord, By, namedEntries } from '../audit/audit.ts';
import { adminRouter, nullable } from '../route.ts';

const DAYS = 30;
const DAYS_MAX = 90;
const SOON_DAYS = 30;
const SHOWN = 10;
/** Older events are not news, and searching for rare events further back is slow. */
const EVENT_DAYS = 30;

const VERSIONS_SHOWN = 5;

const counts = {
  /** Activations, deactivations and validations are null on the dashboard of one product. */
  activations: nullable(Type.Integer()),
  deactivations: nullable(Type.Integer()),
  validations: nullable(Type.Integer()),
  downloads: Type.Integer(),
  renewals: Type.Integer({ description: 'How often the expiry of a license was moved later' }),
};
const version = { software_id: Type.Integer(), software: Type.String(), version: Type.String() };
/** A count. If `is_more`, `total` is a lower bound. */
const counted = Type.Object({ total: Type.Integer(), is_more: Type.Boolean() });

const Day = Type.Object({
  day: Type.String({ description: 'YYYY-MM-DD, UTC' }),
  ...counts,
  licenses: Type.Integer({ description: 'Created on this day and not deleted since' }),
});

const ExpiringLicense = Type.Object({
  id: Type.Integer(),
  license_key: Type.String({ description: 'Masked' }),
  product_id: nullable(Type.Integer()),
  order_id: nullable(Type.Integer()),
  status: Type.Integer(),
  expires_at: Type.String(),
});

const { id, at, action, subject_type, subject_id, subject_name, software_id } = AuditRecord.properties;
const Event = Type.Object({
  id,
  at,
  action,
  subject_type,
  subject_id,
  subject_name,
  software_id,
  /** Null if the reader may not see the audit trail. */
  by: nullable(By),
});

const Dashboard = Type.Object({
  /** When the counts were taken. Activations, deactivations and validations may lack the last ten seconds. */
  counted_at: Type.String(),
  /** Totals of all products, even on the dashboard of one product. */
  totals: Type.Object({
    licenses: Type.Integer(),
    generators: Type.Integer(),
    software: Type.Integer(),
    /** Up to a minute old. */
    by_status: Type.Array(Type.Object({ status: Type.Integer(), licenses: Type.Integer() })),
  }),
  /** Licenses of the product, or of all products. */
  licenses: counted,
  /** Activations that hold a seat, up to a minute old. Null on the dashboard of one product. */
  seats: nullable(counted),
  /** One item a day up to today, oldest first. */
  days: Type.Array(Day),
  /** Licenses that expired in these days. */
  expired: counted,
  /** The same counts for the period of the same length before, for comparison. */
  earlier: Type.Object({ ...counts, licenses: Type.Integer(), expired: counted }),
  /** The versions that were downloaded most in these days. */
  versions: Type.Array(Type.Object({ ...version, downloads: Type.Integer() })),
  /** The versions that asked most often for updates in these days, and the update checks of all versions. */
  in_use: Type.Object({
    checks: Type.Integer(),
    versions: Type.Array(Type.Object({ ...version, checks: Type.Integer() })),
  }),
  expiring: Type.Object({
    within_days: Type.Integer(),
    items: Type.Array(ExpiringLicense),
    total: Type.Integer(),
    total_is_more: Type.Boolean(),
  }),
  /** Null on the dashboard of one product. */
  events: nullable(Type.Array(Event)),
  /** The base address of the client API; null if it is switched off. */
  client_root: nullable(Type.String()),
});

const shape = {
  days: optional(integer({ min: 1, max: DAYS_MAX, description: `Days up to today; ${DAYS} by default` })),
  product_id: optional(reference('Counts only what belongs to this product')),
};

/** The actions that every user may see: no actions on users, API keys or master keys. */
const OPEN_ACTIONS = AUDIT_ACTIONS.filter((action) => /^(generator|license|release|software)\./.test(action));

export function dashboardRoutes(app: FastifyInstance, services: Services): void {
  const { store, clock, installation } = services;
  const dashboard = createDashboard(services);

  async function eventsFor({ request, actor }: Call) {
    const mayAudit = mayAlso(request, 'audit.read');
    const action = mayAudit ? null : OPEN_ACTIONS;
    const from = addDays(toDatetime(clock()), -EVENT_DAYS) as Datetime;
    const filter = { action, subject: null, apiKeyId: null, userId: null, from, to: null };
    const page = { before: null, limit: SHOWN };
    const { items } = unwrap(await listAudit(store.read, filter, page, actor));
    const entries = await namedEntries(store, items);
    return entries.map((entry) => ({ ...entry, by: mayAudit ? entry : null }));
  }

  adminRouter(app, 'Dashboard').get('/dashboard', {
    operationId: 'getDashboard',
    summary: 'Get totals, activity by day and before, licenses that expire soon, and the latest events',
    session: 'records.read',
    input: query(shape),
    data: Dashboard,
    async handler(call) {
      const countedAt = toDatetime(clock());
      const count = call.input.days ?? DAYS;
      const product = call.input.product_id;
      const [totals, licenses, seats, days, expired, expiredEarlier, versions, inUse, expiring, events] =
        await Promise.all([
          dashboard.totals(),
          product === null ? null : dashboard.licensesOf(product),
          product === null ? dashboard.seats() : null,
          dashboard.days(2 * count, product),
          dashboard.expired(count, 0, product),
          dashboard.expired(count, count, product),
          dashboard.versions(count, VERSIONS_SHOWN, product),
          dashboard.inUse(count, VERSIONS_SHOWN, product),
          dashboard.expiring(SOON_DAYS, SHOWN, product),
          product === null ? eventsFor(call) : null,
        ]);
      const earlier = days.slice(0, count);
      const sumOf = (name: Usage | 'downloads' | 'licenses' | 'renewals') =>
        earlier.reduce((sum, day) => sum + (day[name] ?? 0), 0);
      const usageOf = (name: Usage) => (product === null ? sumOf(name) : null);
      return {
        countedAt,
        totals: {
          ...totals,
          byStatus: totals.byStatus.map((licenses, i) => ({ status: i + 1, licenses })),
        },
        licenses: licenses ?? { total: totals.licenses, isMore: false },
        seats,
        days: days.slice(count),
        expired,
        earlier: {
          activations: usageOf('activations'),
          deactivations: usageOf('deactivations'),
          validations: usageOf('validations'),
          downloads: sumOf('downloads'),
          renewals: sumOf('renewals'),
          licenses: sumOf('licenses'),
          expired: expiredEarlier,
        },
        versions,
        inUse,
        expiring: {
          withinDays: SOON_DAYS,
          items: expiring.items.map((license) => ({
            ...license,
            licenseKey: maskedKey(license.key),
            expiresAt: license.expiresAt as Datetime,
          })),
          total: expiring.total,
          totalIsMore: expiring.isMore,
        },
        events,
        clientRoot: installation.clientPath && call.request.publicOrigin() + installation.clientPath,
      };
    },
  });
}
