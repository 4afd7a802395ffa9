import type { Activation } from '../activation.ts';
import type { ApiKey } from '../api-key.ts';
import type { Datetime } from '../datetime.ts';
import { withDefaults } from '../fields.ts';
import type { Generator } from '../generator.ts';
import { forPrograms, isExpired, type License } from '../licenses/license.ts';
import type { LicenseNotes } from '../licenses/license-notes.ts';
import { snakeCased } from '../names.ts';
import type { Release } from '../releases/release.ts';
import type { Software } from '../releases/software.ts';
import { shortened } from '../shortened.ts';
import type { EventValues } from './event.ts';

// The fields of each record under the API's names, without keys and tokens. The event body puts `object` and `id` first.

/** Returns the fields of a license that programs may see. The record of a change may also contain the notes of staff. */
export const licenseValues = (
  { id: _id, key: _key, ...license }: License & Partial<LicenseNotes>,
  now: Datetime,
): EventValues => ({
  ...forPrograms(snakeCased(license)),
  is_expired: isExpired(license, now),
});

/** Returns the products of a license's events; null without a product, so that only endpoints for all products get them. */
export const productsOf = (license: Pick<License, 'productId'> | null | undefined): number[] | null =>
  license == null || license.productId === null ? null : [license.productId];

/** Returns the fields of an activation, with the fields and the id of its license. */
export const activationValues = (activation: Activation, license: License, now: Datetime): EventValues => {
  const { id: _id, token: _token, device: _device, meta, ipAddress, userAgent, ...values } = activation;
  return {
    ...snakeCased(values),
    ip_address: ipAddress ?? '',
    user_agent: userAgent ?? '',
    meta_data: meta ?? [],
    license: { id: license.id, ...licenseValues(license, now) },
  };
};

export const generatorValues = ({ id: _id, ...generator }: Generator): EventValues => snakeCased(generator);

const NO_VALUES = { url: '', tested: '', requires: '', requiresPhp: '', icons: {}, banners: {} };
export const softwareValues = ({ id: _id, ...software }: Software): EventValues =>
  snakeCased(withDefaults(software, NO_VALUES));

export const releaseValues = ({ id: _id, file, changelog, ...release }: Release): EventValues => ({
  ...snakeCased(withDefaults(release, { yankReason: '', upgradeNotice: '' })),
  changelog: shortened(changelog ?? ''),
  file_name: file?.name ?? '',
  mime_type: file?.type ?? '',
  size: file?.size ?? 0,
  sha256: file?.sha256 ?? '',
  sha512: file?.sha512 ?? '',
});

type ApiKeyInEvent = Partial<Omit<ApiKey, 'id'>> & { keyHash?: Uint8Array };
export function apiKeyValues(apiKey: ApiKeyInEvent & { id?: number }): EventValues {
  const { id: _id, secretHash: _secret, keyHash: _key, hashedBy: _by, lastAccessAt: _at, ...values } = apiKey;
  return {
    ...snakeCased(values),
    revoked_at: values.revokedAt ?? null,
    replaced_by: values.replacedBy ?? null,
  };
}
