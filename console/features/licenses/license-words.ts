import type { TFunction } from 'i18next';
import type { Permission } from '../../app/session.ts';
import { formatNumber } from '../../ui/format.ts';
import type { License } from './queries.ts';

/** The taken seats and the limit: '2 of 3'. */
export const placesText = (
  { times_activated, activations_limit }: Pick<License, 'times_activated' | 'activations_limit'>,
  t: TFunction<'licenses'>,
): string => {
  const taken = formatNumber(times_activated);
  return activations_limit === 0
    ? t('unlimited', { taken })
    : t('ofLimit', { taken, limit: formatNumber(activations_limit) });
};

/** The text of a link to a license: its masked key, or its ID if the key is too short to show any of it. */
export const keyText = ({ id, license_key }: Pick<License, 'id' | 'license_key'>): string =>
  license_key === '…' ? `… #${id}` : license_key;

/** A note about actions that the role does not allow on the license pages; false if it allows all. */
export function roleNote(can: (permission: Permission) => boolean, t: TFunction<'licenses'>): string | false {
  if (!can('licenses.write')) return t('viewerNote');
  return !can('licenses.keys') && t('supportNote');
}
