import type { Activation } from '../domain/activation.ts';
import type { ApiKey } from '../domain/api-key.ts';
import type { Datetime } from '../domain/datetime.ts';
import type { Generator } from '../domain/generator.ts';
import { isExpired, type License } from '../domain/license.ts';

/** Records as `--json` writes them: with the names and values of the API, and what only the command line shows. */

export const presentLicense = (license: License, hash: string, now: Datetime) => ({
  id: license.id,
  order_id: license.orderId,
  product_id: license.productId,
  user_id: license.userId,
  license_key: license.key,
  hash,
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

/** Without anything of the secret. */
export const presentApiKey = (apiKey: ApiKey) => ({
  id: apiKey.id,
  user_id: apiKey.userId,
  description: apiKey.description,
  key_ending: apiKey.keyEnding,
  permission: apiKey.permission,
  endpoints: apiKey.endpoints,
  products: apiKey.products,
  expires_at: apiKey.expiresAt,
  revoked_at: apiKey.revokedAt,
  last_access_at: apiKey.lastAccessAt,
  created_at: apiKey.createdAt,
});
