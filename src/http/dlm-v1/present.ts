import type { Static, TSchema } from 'typebox';
import type { Update } from '../../app/releases/updates.ts';
import type { Activation, LicensedActivation } from '../../domain/activation.ts';
import type { AuditEntry } from '../../domain/audit.ts';
import type { Datetime } from '../../domain/datetime.ts';
import type { Generator } from '../../domain/generator.ts';
import { isExpired, type License } from '../../domain/license.ts';
import type { Release } from '../../domain/release.ts';
import type { LicenseWithActivations } from '../../store/store.ts';
import { presenter } from '../presenter.ts';
import * as schemas from './schemas.ts';

/** The type of an answer by its schema. No answer is validated at run time. */
type Answer<Name extends keyof typeof schemas> = (typeof schemas)[Name] extends TSchema
  ? Static<(typeof schemas)[Name]>
  : never;

/** The envelope of an answer. */
export const success = <T>(data: T) => ({ success: true, data });

export const presentLicense = (license: License, now: Datetime): Answer<'License'> => ({
  id: license.id,
  order_id: license.orderId,
  product_id: license.productId,
  user_id: license.userId,
  license_key: license.key,
  expires_at: license.expiresAt,
  valid_for: license.validFor,
  source: license.source,
  status: license.status,
  times_activated: license.timesActivated,
  activations_limit: license.activationsLimit,
  is_expired: isExpired(license, now),
  created_at: license.createdAt,
  created_by: license.createdBy,
  updated_at: license.updatedAt,
  updated_by: license.updatedBy,
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
});

export const presentLicensedActivation = (
  { activation, license }: LicensedActivation,
  now: Datetime,
): Answer<'LicensedActivation'> => ({
  ...presentActivation(activation),
  license: presentLicense(license, now),
});

export const presentLicenseWithActivations = (
  { license, activations }: LicenseWithActivations,
  now: Datetime,
): Answer<'LicenseWithActivations'> => ({
  ...presentLicense(license, now),
  activations: activations.map(presentActivation),
});

export const presentGenerator = presenter(schemas.Generator);

/** The answer of create and update. The documented client reads the camelCase names, the PHP client the others. */
export const presentChangedGenerator = (generator: Generator): Answer<'ChangedGenerator'> => ({
  ...presentGenerator(generator),
  chunkLength: generator.chunkLength,
  timesActivatedMax: generator.activationsLimit,
  expiresIn: generator.expiresIn,
  createdAt: generator.createdAt,
  createdBy: generator.createdBy,
  updatedAt: generator.updatedAt,
  updatedBy: generator.updatedBy,
});

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
    before: details.before ?? null,
    after: details.after ?? null,
    about: details.about ?? null,
  });

export const presentUsageCount = presenter(schemas.UsageCount);
export const presentDownloadCount = presenter(schemas.DownloadCount);
