import type { Activation } from '../../domain/activation.ts';
import type { Datetime } from '../../domain/datetime.ts';
import { isExpired, LICENSE_SOURCE, LICENSE_STATUSES, type License } from '../../domain/license.ts';
import { type Columns, counted, grouped, history, pairs, table } from '../table.ts';

const SOURCES = Object.keys(LICENSE_SOURCE);

const statusName = ({ status }: License): string => LICENSE_STATUSES[status - 1] ?? String(status);

const usedActivations = ({ timesActivated, activationsLimit }: License): string =>
  `${grouped(timesActivated)} of ${activationsLimit === 0 ? 'any' : grouped(activationsLimit)}`;

const expiredMark = (license: License, now: Datetime): string =>
  isExpired(license, now) ? ' (expired)' : '';

export const licenseColumns = (now: Datetime): Columns<License> => ({
  ID: 'id',
  'LICENSE KEY': 'key',
  STATUS: statusName,
  'EXPIRES (UTC)': (license) =>
    license.expiresAt === null ? 'never' : license.expiresAt + expiredMark(license, now),
  ACTIVATIONS: usedActivations,
  PRODUCT: 'productId',
  ORDER: 'orderId',
  USER: 'userId',
});

/** All fields of a license. */
export const licenseWords = (license: License, hash: string, now: Datetime): string =>
  pairs({
    'License key': license.key,
    Hash: `hashed-${hash}`,
    Id: license.id,
    Status: statusName(license),
    Expires: license.expiresAt === null ? 'never' : `${license.expiresAt}${expiredMark(license, now)} UTC`,
    'Valid for': license.validFor === 0 ? null : counted(license.validFor, 'day'),
    Activations: usedActivations(license),
    Product: license.productId,
    Order: license.orderId,
    User: license.userId,
    Source: SOURCES[license.source - 1] ?? license.source,
    ...history(license),
  });

/**
 * The valid activations of a license.
 * @param slugs of software, by its id
 */
export const activationWords = (
  activations: readonly Activation[],
  slugs: ReadonlyMap<number, string>,
): string =>
  activations.length === 0
    ? 'No valid activations.'
    : table(activations, {
        TOKEN: 'token',
        'SINCE (UTC)': ({ updatedAt, createdAt }) => updatedAt ?? createdAt,
        'IP ADDRESS': 'ipAddress',
        SOFTWARE: ({ softwareId }) => softwareId && (slugs.get(softwareId) ?? softwareId),
        LABEL: 'label',
      });
