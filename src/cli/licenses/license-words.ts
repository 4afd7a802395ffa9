import { type Activation, seenAt } from '../../domain/activation.ts';
import { type Datetime, toDatetime } from '../../domain/datetime.ts';
import { isExpired, type License } from '../../domain/licenses/license.ts';
import type { Service } from '../../installation/service.ts';
import type { FoundActivation } from '../../store/store.ts';
import { presentLicense, sourceName, statusName } from '../present.ts';
import { type Columns, counted, grouped, history, pairs, table } from '../table.ts';

/** Returns the current time by the clock of the service. */
export const now = ({ clock }: Service): Datetime => toDatetime(clock());

export const present = (service: Service, license: License) =>
  presentLicense(license, service.store.read.licenses.hashOf(license.key), now(service));

const usedActivations = ({ timesActivated, activationsLimit }: License): string =>
  `${grouped(timesActivated)} of ${activationsLimit === 0 ? 'any' : grouped(activationsLimit)}`;

const expiredMark = (license: License, now: Datetime): string =>
  isExpired(license, now) ? ' (expired)' : '';

export const licenseColumns = (now: Datetime): Columns<License> => ({
  ID: 'id',
  'LICENSE KEY': 'key',
  STATUS: ({ status }) => statusName(status),
  'EXPIRES (UTC)': (license) =>
    license.expiresAt === null ? 'never' : license.expiresAt + expiredMark(license, now),
  ACTIVATIONS: usedActivations,
  PRODUCT: 'productId',
  ORDER: 'orderId',
  USER: 'userId',
});

/** Returns the rules for seats that differ from the defaults. */
const seatRules = ({
  seatTtl,
  borrowMaxHours,
  reclaimAfterDays,
  takeoversPerMonth,
  match,
}: License): string =>
  [
    seatTtl === 0 ? 'node-locked' : `floating, lapse after ${counted(seatTtl, 'second')}`,
    seatTtl > 0 && borrowMaxHours > 0 && `borrowed for up to ${counted(borrowMaxHours, 'hour')}`,
    reclaimAfterDays > 0 && `reclaimed after ${counted(reclaimAfterDays, 'day')}`,
    takeoversPerMonth > 0 && `${counted(takeoversPerMonth, 'takeover')} in 30 days`,
    match === 'label' && 'same label, same device',
  ]
    .filter(Boolean)
    .join('; ');

const leaseRules = (license: License): string =>
  [
    `good for ${counted(license.leaseDays, 'day')}`,
    `refreshed after ${counted(license.leaseRefreshHours, 'hour')}`,
    `${counted(license.leaseGraceDays, 'day')} of grace`,
    `${counted(license.offlineLeaseDays, 'day')} without network`,
  ].join('; ');

/** Returns all fields of a license as text. */
export const licenseWords = (license: License, hash: string, now: Datetime): string =>
  pairs({
    'License key': license.key,
    Hash: `hashed-${hash}`,
    Id: license.id,
    Status: statusName(license.status),
    Expires: license.expiresAt === null ? 'never' : `${license.expiresAt} UTC${expiredMark(license, now)}`,
    'Valid for': license.validFor === 0 ? null : counted(license.validFor, 'day'),
    Activations: usedActivations(license),
    Seats: seatRules(license),
    Entitlements: license.entitlements.join(', ') || null,
    Leases: leaseRules(license),
    Product: license.productId,
    Order: license.orderId,
    User: license.userId,
    Email: license.customerEmail,
    Source: sourceName(license.source),
    ...history(license),
  });

/**
 * Returns the valid activations of a license as text.
 * @param slugs slugs of software, by its id
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
        'LAST SEEN (UTC)': seenAt,
        'LAPSES (UTC)': 'seatExpiresAt',
        'IP ADDRESS': 'ipAddress',
        SOFTWARE: ({ softwareId }) => softwareId && (slugs.get(softwareId) ?? softwareId),
        LABEL: 'label',
      });

/** The columns of activations of any license, valid or not. */
export const ACTIVATION_COLUMNS: Columns<FoundActivation> = {
  ID: ({ activation }) => activation.id,
  'LICENSE KEY': ({ license }) => license.key,
  LABEL: ({ activation }) => activation.label,
  SOFTWARE: 'softwareName',
  'IP ADDRESS': ({ activation }) => activation.ipAddress,
  'CREATED (UTC)': ({ activation }) => activation.createdAt,
  'LAST SEEN (UTC)': ({ activation }) => seenAt(activation),
  'LAPSES (UTC)': ({ activation }) => (activation.deactivatedAt === null ? activation.seatExpiresAt : null),
  'ENDED (UTC)': ({ activation }) => activation.deactivatedAt,
  'ENDED AS': ({ activation: { deactivatedAt, endedAs } }) => deactivatedAt && (endedAs ?? 'deactivated'),
  TOKEN: ({ activation }) => activation.token,
};
