import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import {
  type HistoryPlace,
  type LicenseEvent,
  licenseHistory,
  NEWEST,
} from '../../../app/licenses/license-history.ts';
import { VIAS } from '../../../domain/actor.ts';
import { AUDIT_ACTIONS } from '../../../domain/audit.ts';
import { toDatetime, toMilliseconds } from '../../../domain/datetime.ts';
import { bad, type Field, optional } from '../../../domain/fields.ts';
import { parameterSchema } from '../../parameter-schema.ts';
import { createInput } from '../../requests.ts';
import type { Services } from '../../services.ts';
import { AuditRecord, presentAudit } from '../audit/audit.ts';
import { idOf } from '../ids.ts';
import { adminLimitOf, limitShape } from '../paging.ts';
import { adminSchema, nullable } from '../route-schema.ts';

const { before, after, about, origin, user_id, user_name, api_key_id, api_key_description } =
  AuditRecord.properties;

const HistoryRecord = Type.Object({
  at: Type.String(),
  /** As the audit trail has it, or what programs did: `activation.create`, `download.create`. */
  action: Type.Enum([...AUDIT_ACTIONS, 'activation.create', 'download.create']),
  /** Null where the audit trail does not tell. */
  via: nullable(Type.Enum(VIAS)),
  user_id: nullable(user_id),
  ...{ user_name, api_key_id, api_key_description },
  /** Where it was done from: of what programs did, the address of their device. */
  origin,
  ...{ before, after, about },
  /** Of an activation, as far as it is known. */
  activation: nullable(
    Type.Object({ id: Type.Integer(), label: nullable(Type.String()), ip_address: nullable(Type.String()) }),
  ),
  /** Of an activation and of a download; null where it was for none, or it is gone. */
  software_name: nullable(Type.String()),
  /** Of a download. */
  version: nullable(Type.String()),
});

/** How a place travels: behind which entry, activation, change of an activation (when, in seconds, and its id) and download. */
const PLACE = /^(\d{0,15})\.(\d{0,15})\.(\d{0,12})\.(\d{0,15})\.(\d{0,15})$/;
const place: Field<HistoryPlace> = {
  schema: { type: 'string', pattern: PLACE.source, description: 'The `next` of the page before' },
  read(value) {
    const found = PLACE.exec(typeof value === 'string' ? value : '');
    if (!found) return bad('not_a_place');
    const [entry, activation, at, id, download] = found
      .slice(1)
      .map((digits) => (digits ? Number(digits) : null));
    const isChange = at != null && id != null && at <= LATEST;
    const change = isChange ? { at: toDatetime(at * 1_000), id } : null;
    return {
      ok: true,
      value: { entry: entry ?? null, activation: activation ?? null, change, download: download ?? null },
    };
  },
};
/** The end of the year 9999, in seconds. */
const LATEST = 253_402_300_799;

const placeText = ({ entry, activation, change, download }: HistoryPlace): string =>
  [entry, activation, change && toMilliseconds(change.at) / 1_000, change?.id, download]
    .map((part) => part ?? '')
    .join('.');

const pageShape = { ...limitShape, before: optional(place) };

export function licenseHistoryRoutes(app: FastifyInstance, { store }: Services): void {
  app.get<{ Params: { license_id: string } }>('/licenses/:license_id/history', {
    config: { session: 'records.read' },
    schema: adminSchema({
      operationId: 'listLicenseHistory',
      summary: 'List what has happened to a license, newest first',
      description: 'What the audit trail tells, activations, and downloads as far as they are remembered.',
      tags: ['Licenses'],
      path: { license_id: Type.Integer() },
      query: parameterSchema(pageShape, 'query'),
      data: Type.Object({
        items: Type.Array(HistoryRecord),
        /** Where the next page goes on, as `before`; null at the end. */
        next: nullable(Type.String()),
        total: nullable(Type.Integer()),
        total_is_more: Type.Boolean(),
      }),
    }),
    handler: async (request) => {
      const id = idOf(request.params.license_id, 'license_not_found');
      const { before } = createInput(pageShape, request);
      const page = await licenseHistory(store.read, id, before ?? NEWEST, adminLimitOf(request));
      return {
        items: await presentEvents(store, page.events),
        next: page.next && placeText(page.next),
        total: null,
        total_is_more: false,
      };
    },
  });
}

type Shown = Static<typeof HistoryRecord>;
const NOTHING = {
  ...{ via: null, user_id: null, user_name: null, api_key_id: null, api_key_description: null },
  ...{ origin: null, before: null, after: null, about: null },
  ...{ activation: null, software_name: null, version: null },
};
const ACTIONS = {
  activated: 'activation.create',
  deactivated: 'activation.deactivate',
  reactivated: 'activation.reactivate',
} as const;

async function presentEvents(store: Services['store'], events: readonly LicenseEvent[]): Promise<Shown[]> {
  const told = await presentAudit(
    store,
    events.flatMap((event) => (event.what === 'entry' ? [event.entry] : [])),
  );
  const entries = new Map(told.map((one) => [one.id, one]));
  const makers = events.flatMap((event) => (event.what === 'created' ? [event.license.createdBy] : []));
  const names = makers.length === 0 ? new Map<number, string>() : await store.read.users.names(makers);
  return events.map((event): Shown => {
    const { at } = event;
    switch (event.what) {
      case 'entry': {
        const {
          id: _,
          subject_type: _type,
          subject_id: _id,
          subject_name: _name,
          ...shown
        } = entries.get(event.entry.id) as (typeof told)[number];
        return { ...NOTHING, ...shown, activation: activationIn(shown.about) };
      }
      case 'created': {
        const { createdBy, source } = event.license;
        const by = { user_id: createdBy, user_name: names.get(createdBy) ?? null };
        return { ...NOTHING, at, action: 'license.create', ...by, about: { source } };
      }
      case 'download': {
        const { ipAddress, softwareName, version } = event.download;
        const of = { origin: ipAddress, software_name: softwareName, version };
        return { ...NOTHING, at, action: 'download.create', ...of };
      }
      default: {
        const { id, label, ipAddress } = event.activation;
        return {
          ...{ ...NOTHING, at, action: ACTIONS[event.what] },
          origin: event.what === 'activated' ? ipAddress : null,
          activation: { id, label, ip_address: ipAddress },
          software_name: event.softwareName,
        };
      }
    }
  });
}

/** The activation that an entry tells of. */
function activationIn(about: Shown['about']): Shown['activation'] {
  const { activation_id: id, label, ip_address: address } = about ?? {};
  if (typeof id !== 'number') return null;
  const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
  return { id, label: textOf(label), ip_address: textOf(address) };
}
