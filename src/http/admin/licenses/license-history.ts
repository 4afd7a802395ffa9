import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import {
  type HistoryPlace,
  type LicenseEvent,
  licenseHistory,
  NEWEST,
} from '../../../app/licenses/license-history.ts';
import { FIRST_USER, VIAS } from '../../../domain/actor.ts';
import { AUDIT_ACTIONS } from '../../../domain/audit.ts';
import { toDatetime, toMilliseconds } from '../../../domain/datetime.ts';
import { bad, type Field, optional } from '../../../domain/fields.ts';
import { LICENSE_SOURCE, type License } from '../../../domain/licenses/license.ts';
import { ENDED_AS } from '../../../domain/seats.ts';
import { query } from '../../input.ts';
import { mayAlso } from '../../people/session.ts';
import type { Presentable } from '../../presenter.ts';
import type { Services } from '../../services.ts';
import { AuditRecord, namedEntries, OF_AUDITORS } from '../audit/audit.ts';
import { LIMIT, limitShape, pageOf } from '../paging.ts';
import { adminRouter, idOf, nullable } from '../route.ts';

const { before, after, about, origin, user_id, user_name, api_key_id, api_key_description } =
  AuditRecord.properties;

const HistoryRecord = Type.Object({
  at: Type.String(),
  /**
   * An action of the audit trail, or of a program: `activation.create`, `download.create`. `activation.forget` stands for
   * older activations that were deleted; `about` has their number and the time of the first one.
   */
  action: Type.Enum([...AUDIT_ACTIONS, 'activation.create', 'activation.forget', 'download.create']),
  /** Null for events that the audit trail does not record. */
  via: nullable(Type.Enum(VIAS)),
  user_id: nullable(user_id),
  user_name,
  api_key_id,
  api_key_description,
  /** For actions of programs, the address of the device. */
  origin,
  before,
  after,
  about,
  /** The activation that the event is about, as far as it is known. */
  activation: nullable(
    Type.Object({
      id: Type.Integer(),
      label: nullable(Type.String()),
      ip_address: nullable(Type.String()),
      /** Why the activation ended, if the event is its end. */
      ended_as: nullable(Type.Enum(ENDED_AS)),
    }),
  ),
  /** The software of an activation or a download; null if there is none, or if it is gone. */
  software_name: nullable(Type.String()),
  /** The version that was downloaded. */
  version: nullable(Type.String()),
});

/**
 * A cursor as text: the last entry, the last activation, the last change of an activation (its time in seconds and its id),
 * and the last download. Entries, activations and downloads are given by id.
 */
const PLACE = /^(\d{0,15})\.(\d{0,15})\.(\d{0,12})\.(\d{0,15})\.(\d{0,15})$/;
const place: Field<HistoryPlace> = {
  schema: { type: 'string', pattern: PLACE.source, description: '`next` of the previous page' },
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
  adminRouter(app, 'Licenses').get('/licenses/:license_id/history', {
    operationId: 'listLicenseHistory',
    summary: 'List the events of a license, newest first',
    description:
      'Audit entries, activations, and downloads as long as they are recorded. Only users who may read the audit trail see ' +
      'the origin and the API key of an audit entry.',
    session: 'records.read',
    input: query(pageShape),
    data: pageOf(HistoryRecord, Type.String()),
    async handler({ request, params, input: { before, limit } }) {
      const id = idOf(params.license_id, 'license');
      const { events, next } = await licenseHistory(store.read, id, before ?? NEWEST, limit ?? LIMIT);
      const items = await shownEvents(store, events, mayAlso(request, 'audit.read'));
      return { items, next: next && placeText(next), total: null, totalIsMore: false };
    },
  });
}

type Event = Presentable<Static<typeof HistoryRecord>>;
const NOTHING = {
  via: null,
  userId: null,
  userName: null,
  apiKeyId: null,
  apiKeyDescription: null,
  origin: null,
  before: null,
  after: null,
  about: null,
  activation: null,
  softwareName: null,
  version: null,
};
const ACTIONS = {
  activated: 'activation.create',
  deactivated: 'activation.deactivate',
  reactivated: 'activation.reactivate',
} as const;

async function shownEvents(store: Services['store'], events: readonly LicenseEvent[], mayAudit: boolean) {
  const named = await namedEntries(
    store,
    events.flatMap((event) => (event.what === 'entry' ? [event.entry] : [])),
  );
  const entries = new Map(named.map((one) => [one.id, one]));
  const created = events.find((event) => event.what === 'created');
  const creator = created ? await creatorOf(store, created.license) : null;
  return events.map((event): Event => {
    const { at } = event;
    switch (event.what) {
      case 'entry': {
        const entry = entries.get(event.entry.id) as (typeof named)[number];
        const hidden = mayAudit ? null : OF_AUDITORS;
        return { ...NOTHING, ...entry, ...hidden, activation: activationIn(entry.about) };
      }
      case 'created': {
        const by = creator && { userId: creator.id, userName: creator.name };
        return { ...NOTHING, at, action: 'license.create', ...by, about: { source: event.license.source } };
      }
      case 'forgotten': {
        const { activations, firstAt } = event.forgotten;
        return { ...NOTHING, at, action: 'activation.forget', about: { activations, first_at: firstAt } };
      }
      case 'download': {
        const { ipAddress, softwareName, version } = event.download;
        return { ...NOTHING, at, action: 'download.create', origin: ipAddress, softwareName, version };
      }
      default: {
        const { id, label, ipAddress } = event.activation;
        const endedAs = event.what === 'deactivated' ? event.activation.endedAs : null;
        return {
          ...NOTHING,
          at,
          action: ACTIONS[event.what],
          origin: event.what === 'activated' ? ipAddress : null,
          activation: { id, label, ipAddress, endedAs },
          softwareName: event.softwareName,
        };
      }
    }
  });
}

/**
 * Returns the user who created a license with others in the console; null for user 1, because the command line acts as
 * user 1, too. The `createdBy` of a shop's license is a user of WordPress: it names nobody if the license is older than the
 * console's user of that id.
 */
async function creatorOf({ read }: Services['store'], { source, createdBy, createdAt }: License) {
  const isOfPerson = source === LICENSE_SOURCE.generator || source === LICENSE_SOURCE.import;
  if (!isOfPerson || createdBy === FIRST_USER) return null;
  const user = await read.users.find(createdBy);
  return user && user.createdAt <= createdAt ? user : null;
}

/** The activation that an audit entry is about. */
function activationIn(about: Event['about']): Event['activation'] {
  const { activation_id: id, label, ip_address: address, ended_as: endedAs } = about ?? {};
  if (typeof id !== 'number') return null;
  const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
  const as = ENDED_AS.find((one) => one === endedAs) ?? null;
  return { id, label: textOf(label), ipAddress: textOf(address), endedAs: as };
}
