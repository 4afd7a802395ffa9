import type { Activation } from '../../domain/activation.ts';
import type { Datetime } from '../../domain/datetime.ts';
import {
  isExpired,
  LICENSE_SOURCE,
  LICENSE_STATUSES,
  type License,
  type LicenseStatus,
} from '../../domain/license.ts';
import { counted, grouped, pairs, table } from '../table.ts';

const SOURCES = Object.keys(LICENSE_SOURCE);

export const statusName = (status: LicenseStatus): string => LICENSE_STATUSES[status - 1] ?? String(status);
const sourceName = (source: number): string => SOURCES[source - 1] ?? String(source);

const places = ({ timesActivated, activationsLimit }: License): string =>
  `${grouped(timesActivated)} of ${activationsLimit === 0 ? 'any' : grouped(activationsLimit)}`;

function expiryOf(license: License, now: Datetime): string {
  if (license.expiresAt === null) return 'never';
  return isExpired(license, now) ? `${license.expiresAt} (expired)` : license.expiresAt;
}

/** Licenses in a table; times are UTC. */
export const licenseTable = (licenses: readonly License[], now: Datetime): string =>
  table(
    ['ID', 'LICENSE KEY', 'STATUS', 'EXPIRES (UTC)', 'ACTIVATIONS', 'PRODUCT', 'ORDER', 'USER'],
    licenses.map((license) => [
      license.id,
      license.key,
      statusName(license.status),
      expiryOf(license, now),
      places(license),
      license.productId,
      license.orderId,
      license.userId,
    ]),
  );

/** All of one license. */
export function licenseWords(license: License, hash: string, now: Datetime): string {
  const { createdAt, createdBy, updatedAt, updatedBy } = license;
  return pairs({
    'License key': license.key,
    Hash: `hashed-${hash}`,
    Id: license.id,
    Status: statusName(license.status),
    Expires: license.expiresAt === null ? 'never' : `${expiryOf(license, now)} UTC`,
    'Valid for': license.validFor === 0 ? null : counted(license.validFor, 'day'),
    Activations: places(license),
    Product: license.productId,
    Order: license.orderId,
    User: license.userId,
    Source: sourceName(license.source),
    Created: `${createdAt} UTC by user ${createdBy}`,
    Updated: updatedAt === null ? null : `${updatedAt} UTC by user ${updatedBy}`,
  });
}

/**
 * The valid activations of a license.
 * @param slugs of software, by its id
 */
export function activationWords(
  activations: readonly Activation[],
  slugs: ReadonlyMap<number, string>,
): string {
  if (activations.length === 0) return 'No valid activations.';
  return table(
    ['TOKEN', 'SINCE (UTC)', 'IP ADDRESS', 'SOFTWARE', 'LABEL'],
    activations.map(({ token, createdAt, updatedAt, ipAddress, softwareId, label }) => [
      token,
      updatedAt ?? createdAt,
      ipAddress,
      softwareId === null ? null : (slugs.get(softwareId) ?? softwareId),
      label,
    ]),
  );
}
