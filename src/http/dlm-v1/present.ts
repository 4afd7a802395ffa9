import type { Activation, LicensedActivation } from '../../domain/activation.ts';
import type { Datetime } from '../../domain/datetime.ts';
import type { Generator } from '../../domain/generator.ts';
import { isExpired, type License } from '../../domain/license.ts';
import type { LicenseWithActivations } from '../../store/store.ts';

/** The only place that knows the wire names of records. */

/** The envelope of an answer. */
export const success = <T>(data: T) => ({ success: true, data });

export const presentLicense = (license: License, now: Datetime) => ({
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

export const presentActivation = (activation: Activation) => ({
  id: activation.id,
  token: activation.token,
  license_id: activation.licenseId,
  label: activation.label,
  source: activation.source,
  ip_address: activation.ipAddress ?? '',
  user_agent: activation.userAgent ?? '',
  meta_data: activation.meta ?? [],
  created_at: activation.createdAt,
  updated_at: activation.updatedAt,
  deactivated_at: activation.deactivatedAt,
});

export const presentLicensedActivation = ({ activation, license }: LicensedActivation, now: Datetime) => ({
  ...presentActivation(activation),
  license: presentLicense(license, now),
});

export const presentLicenseWithActivations = (
  { license, activations }: LicenseWithActivations,
  now: Datetime,
) => ({
  ...presentLicense(license, now),
  activations: activations.map(presentActivation),
});

export const presentGenerator = (generator: Generator) => ({
  id: generator.id,
  name: generator.name,
  charset: generator.charset,
  chunks: generator.chunks,
  chunk_length: generator.chunkLength,
  activations_limit: generator.activationsLimit,
  separator: generator.separator,
  prefix: generator.prefix,
  suffix: generator.suffix,
  expires_in: generator.expiresIn,
  created_at: generator.createdAt,
  created_by: generator.createdBy,
  updated_at: generator.updatedAt,
  updated_by: generator.updatedBy,
});

/** As create and update answer: the documented client reads the camelCase names, the PHP client the others. */
export const presentChangedGenerator = (generator: Generator) => ({
  ...presentGenerator(generator),
  chunkLength: generator.chunkLength,
  timesActivatedMax: generator.activationsLimit,
  expiresIn: generator.expiresIn,
  createdAt: generator.createdAt,
  createdBy: generator.createdBy,
  updatedAt: generator.updatedAt,
  updatedBy: generator.updatedBy,
});
