import type { FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { EndpointWithSecret } from '../../app/events/endpoints.ts';
import type { ListedDelivery } from '../../app/events/reading.ts';
import type { Update } from '../../app/releases/updates.ts';
import type { Activation, LicensedActivation } from '../../domain/activation.ts';
import { isLikePlugin } from '../../domain/api-key.ts';
import type { AuditEntry } from '../../domain/audit.ts';
import { type Clock, type Datetime, toDatetime } from '../../domain/datetime.ts';
import { eventIdOf } from '../../domain/events/event.ts';
import type { Generator } from '../../domain/generator.ts';
import { forPrograms, isExpired, type License } from '../../domain/licenses/license.ts';
import type { Release } from '../../domain/releases/release.ts';
import type { LicenseWithActivations } from '../../store/store.ts';
import { presenter } from '../presenter.ts';
import { EventDelivery, EventEndpoint, EventEndpointWithSecret } from './event-schemas.ts';
import * as schemas from './schemas.ts';

/** The type of an answer by its schema. No answer is validated at run time. */
type Answer<Name extends keyof typeof schemas> = (typeof schemas)[Name] extends TSchema
  ? Static<(typeof schemas)[Name]>
  : never;

/** Puts data into the envelope of an answer. */
export const success = <T>(data: T) => ({ success: true, data });

/** Who gets the answer, and when. */
export interface Audience {
  now: Datetime;
  /** Whether the API key has the compatibility `plugin`. */
  isLikePlugin: boolean;
}
export const audienceAt =
  (clock: Clock) =>
  ({ apiKey }: FastifyRequest): Audience => ({
    now: toDatetime(clock()),
    isLikePlugin: isLikePlugin(apiKey),
  });

/**
 * Presents a number where the plugin stores null, and never 0, for none. The activation limit of a license is not such a
 * number: the plugin stores both for it, with the same meaning, and some clients cannot read null.
 */
const orNull = (value: number | null, { isLikePlugin }: Audience): number | null =>
  isLikePlugin && value === 0 ? null : value;

export const presentLicense = (license: License, to: Audience): Answer<'License'> => ({
  id: license.id,
  order_id: license.orderId,
  product_id: license.productId,
  user_id: license.userId,
  license_key: license.key,
  expires_at: license.expiresAt,
  valid_for: orNull(license.validFor, to),
  source: license.source,
  status: license.status,
  times_activated: license.timesActivated,
  activations_limit: license.activationsLimit,
  is_expired: isExpired(license, to.now),
  created_at: license.createdAt,
  created_by: orNull(license.createdBy, to),
  updated_at: license.updatedAt,
  updated_by: orNull(license.updatedBy, to),
  seat_ttl: license.seatTtl,
  reclaim_after_days: license.reclaimAfterDays,
  match: license.match,
  borrow_max_hours: license.borrowMaxHours,
  takeovers_per_month: license.takeoversPerMonth,
  entitlements: [...license.entitlements],
  lease_refresh_hours: license.leaseRefreshHours,
  lease_days: license.leaseDays,
  lease_grace_days: license.leaseGraceDays,
  offline_lease_days: license.offlineLeaseDays,
});

export const presentActivation = (activation: Activation): Answer<'Activation'> => ({
  id: activation.id,
  token: activation.token,
  license_id: activation.licenseId,
  software_id: activation.softwareId,
  label: activation.label,
  source: activation.source,
  ip_address: activation.ipAddress ?? '',
  user_agent: activation.userAgent ?? '',
  meta_data: activation.meta ?? [],
  created_at: activation.createdAt,
  updated_at: activation.updatedAt,
  deactivated_at: activation.deactivatedAt,
  seat_expires_at: activation.seatExpiresAt,
  last_seen_at: activation.lastSeenAt,
});

export const presentLicensedActivation = (
  { activation, license }: LicensedActivation,
  to: Audience,
): Answer<'LicensedActivation'> => ({
  ...presentActivation(activation),
  license: presentLicense(license, to),
});

export const presentLicenseWithActivations = (
  { license, activations }: LicenseWithActivations,
  to: Audience,
): Answer<'LicenseWithActivations'> => ({
  ...presentLicense(license, to),
  activations: activations.map(presentActivation),
});

const presentGeneratorFields = presenter(schemas.Generator);
export const presentGenerator = (generator: Generator, to: Audience): Answer<'Generator'> =>
  presentGeneratorFields({
    ...generator,
    activationsLimit: orNull(generator.activationsLimit, to),
    expiresIn: orNull(generator.expiresIn, to),
    createdBy: orNull(generator.createdBy, to),
    updatedBy: orNull(generator.updatedBy, to),
  });

/** The answer of create and update. The documented client reads the camelCase names, the PHP client the others. */
export function presentChangedGenerator(generator: Generator, to: Audience): Answer<'ChangedGenerator'> {
  const presented = presentGenerator(generator, to);
  return {
    ...presented,
    chunkLength: presented.chunk_length,
    timesActivatedMax: presented.activations_limit,
    expiresIn: presented.expires_in,
    createdAt: presented.created_at,
    createdBy: presented.created_by,
    updatedAt: presented.updated_at,
    updatedBy: presented.updated_by,
  };
}

export const presentSoftware = presenter(schemas.Software);

const presentReleaseFields = presenter(schemas.Release);

export const presentRelease = ({ file, ...release }: Release): Answer<'Release'> =>
  presentReleaseFields({
    ...release,
    fileName: file?.name ?? null,
    mimeType: file?.type ?? null,
    size: file?.size ?? 0,
    sha256: file?.sha256 ?? null,
    sha512: file?.sha512 ?? null,
  });

/** Update information for updaters. @param addressOf returns the address of a download */
export function presentUpdate(
  { software, releases, licenseKey, downloadToken }: Update,
  changelog: string,
  addressOf: (downloadToken: string) => string,
  { isLikePlugin }: Audience,
): Answer<'Update'> {
  const { name, slug, url, tested, requires, requiresPhp, icons, banners } = software;
  const newest = releases[0];
  return {
    name,
    version: newest?.version ?? '',
    license: licenseKey ?? '',
    download_url: downloadToken === null ? '' : addressOf(downloadToken),
    url: url ?? '',
    details: {
      name,
      slug,
      tested: tested ?? '',
      requires: requires ?? '',
      requires_php: requiresPhp ?? '',
      last_updated: newest?.publishedAt ?? '',
      stable_tag: newest?.version ?? '',
      // The updaters of the plugin hand the details to WordPress as they are.
      ...(isLikePlugin && { version: newest?.version ?? '', external: true }),
      versions: releases.map(({ version }) => version),
      ...(newest?.upgradeNotice && { upgrade_notice: newest.upgradeNotice }),
      ...(icons && { icons }),
      ...(banners && { banners }),
      sections: { changelog },
    },
  };
}

const presentAuditFields = presenter(schemas.AuditEntry);

export const presentAuditEntry = ({ subject, details, ...entry }: AuditEntry): Answer<'AuditEntry'> =>
  presentAuditFields({
    ...entry,
    subjectType: subject.type,
    subjectId: subject.id,
    before: details.before ? forPrograms(details.before) : null,
    after: details.after ? forPrograms(details.after) : null,
    about: details.about ?? null,
  });

export const presentUsageCount = presenter(schemas.UsageCount);
export const presentDownloadCount = presenter(schemas.DownloadCount);

export const presentEndpoint = presenter(EventEndpoint);

const presentWithSecret = presenter(EventEndpointWithSecret);
export const presentEndpointWithSecret = ({ endpoint, secret }: EndpointWithSecret) =>
  presentWithSecret({ ...endpoint, secret });

const presentDeliveryFields = presenter(EventDelivery);
export const presentDelivery = ({ delivery, event, nextAt }: ListedDelivery): Static<typeof EventDelivery> =>
  presentDeliveryFields({
    ...delivery,
    eventId: eventIdOf(event),
    type: event.type,
    object: event.object,
    objectId: event.objectId,
    at: event.at,
    dueAt: nextAt,
  });
