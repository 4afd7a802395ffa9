import type { Update } from '../../app/releases/updates.ts';
import type { Activation } from '../../domain/activation.ts';
import type { Generator } from '../../domain/generator.ts';
import { INACTIVE, type License } from '../../domain/licenses/license.ts';

/** Converts our 0 to the null of the plugin: no maximum, no days. */
const orNull = (count: number): number | null => (count === 0 ? null : count);

export const presentLicense = (license: License) => ({
  id: license.id,
  orderId: license.orderId,
  productId: license.productId,
  userId: license.userId,
  licenseKey: license.key,
  expiresAt: license.expiresAt,
  validFor: orNull(license.validFor),
  source: license.source,
  // Clients know 1 to 4. To them, a disabled license is inactive.
  status: Math.min(license.status, INACTIVE),
  timesActivated: license.timesActivated,
  timesActivatedMax: orNull(license.activationsLimit),
  createdAt: license.createdAt,
  createdBy: license.createdBy,
  updatedAt: license.updatedAt,
  updatedBy: license.updatedBy,
});

/**
 * Presents a license after a change of its activations. In the plugin, that counts as an update of the license, so some
 * clients cannot read null here.
 */
export const presentChangedLicense = (license: License) => ({
  ...presentLicense(license),
  updatedAt: license.updatedAt ?? license.createdAt,
  updatedBy: license.updatedBy ?? license.createdBy,
});

/** Presents the counts of a license. Without a limit, the remaining activations count down from 0, as in the plugin. */
export const presentCounts = ({ timesActivated, activationsLimit }: License) => ({
  timesActivated,
  timesActivatedMax: activationsLimit,
  remainingActivations: activationsLimit - timesActivated,
});

export const presentActivation = (activation: Activation) => ({
  id: activation.id,
  token: activation.token,
  license_id: activation.licenseId,
  label: activation.label,
  source: activation.source,
  ip_address: activation.ipAddress,
  user_agent: activation.userAgent,
  meta_data: activation.meta,
  created_at: activation.createdAt,
  updated_at: activation.updatedAt,
  deactivated_at: activation.deactivatedAt,
});

/** Presents activations oldest first, each as `shown` returns it. */
export const presentActivations = (
  newestFirst: readonly Activation[],
  shown: (activation: Activation) => Activation,
) => newestFirst.toReversed().map((one) => presentActivation(shown(one)));

/** Presents an update that the license allows. @param address where to download it */
export function presentUpdate(
  { software, releases: [newest] }: Update,
  licenseKey: string,
  address: string,
  changelog: string,
) {
  const { url, tested, requires, requiresPhp } = software;
  return {
    license_key: licenseKey,
    url: url ?? '',
    new_version: newest?.version ?? '',
    package: address,
    tested: tested ?? '',
    requires: requires ?? '',
    requires_php: requiresPhp ?? '',
    last_updated: newest?.publishedAt ?? '',
    sections: { changelog },
  };
}

/** The plugin writes some of the numbers as text. */
const asText = (count: number | null): string | null => (count === null ? null : String(count));

export const presentGenerator = (generator: Generator) => ({
  id: generator.id,
  name: generator.name,
  charset: generator.charset,
  chunks: generator.chunks,
  chunkLength: generator.chunkLength,
  timesActivatedMax: asText(orNull(generator.activationsLimit)),
  separator: generator.separator === '' ? null : generator.separator,
  prefix: generator.prefix,
  suffix: generator.suffix,
  expiresIn: asText(orNull(generator.expiresIn)),
  createdAt: generator.createdAt,
  createdBy: asText(generator.createdBy),
  updatedAt: generator.updatedAt,
  updatedBy: asText(generator.updatedBy),
});
