import type { TFunction } from 'i18next';
import { formatNumber } from '../../ui/format.ts';
import { STATUSES, type Status } from '../../ui/license-status.ts';
import type { Tone } from '../../ui/StatusBadge.tsx';
import type { License } from './queries.ts';

export const SOURCES = ['generator', 'import', 'api', 'migration'] as const;
export const EXPIRIES = ['expired', 'soon', 'never'] as const;

export const statusOf = ({ status }: Pick<License, 'status'>): Status => STATUSES[status - 1] ?? 'inactive';
export const STATUS_TONE: Record<Status, Tone> = {
  sold: 'info',
  delivered: 'info',
  active: 'good',
  inactive: 'neutral',
  disabled: 'bad',
};

/** '2 of 3' */
export const placesText = (
  { times_activated, activations_limit }: Pick<License, 'times_activated' | 'activations_limit'>,
  t: TFunction<'licenses'>,
): string => {
  const taken = formatNumber(times_activated);
  return activations_limit === 0
    ? t('unlimited', { taken })
    : t('ofLimit', { taken, limit: formatNumber(activations_limit) });
};

/** What a link to it says: of a short key nothing is shown, and so its id is. */
export const keyText = ({ id, license_key }: Pick<License, 'id' | 'license_key'>): string =>
  license_key === '…' ? `… #${id}` : license_key;
