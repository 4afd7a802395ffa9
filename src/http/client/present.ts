import type { Update } from '../../app/releases/updates.ts';
import type { LicensedActivation } from '../../domain/activation.ts';
import { rfc3339 } from '../../domain/datetime.ts';
import { LICENSE_STATUSES } from '../../domain/licenses/license.ts';
import type { DownloadDenial } from '../../domain/refusal.ts';
import type { ClientCode } from './errors.ts';

const timeOrNull = (at: string | null): string | null => at && rfc3339(at);

/**
 * Presents an activation with its license.
 * @param lease null if there is none
 * @param withToken only the answer to an activation has the token
 */
export const presentSeat = (
  { activation, license }: LicensedActivation,
  lease: string | null,
  withToken: boolean,
) => ({
  activation: {
    id: activation.id,
    ...(withToken && { token: activation.token }),
    label: activation.label,
    created_at: rfc3339(activation.createdAt),
    seat_expires_at: timeOrNull(activation.seatExpiresAt),
  },
  license: {
    id: license.id,
    status: LICENSE_STATUSES[license.status - 1],
    product: license.productId,
    expires_at: timeOrNull(license.expiresAt),
    seats: { used: license.timesActivated, limit: license.activationsLimit || null },
    entitlements: [...license.entitlements],
  },
  lease,
});

/** The code in the answer if the license does not allow the download of the update. */
const DENIED: Partial<Record<DownloadDenial, ClientCode>> = {
  activation_deactivated: 'activation_ended',
  license_expired: 'license_expired',
  license_disabled: 'license_disabled',
  license_not_covering: 'not_covered',
};

/** Presents an update; null if there is none. @param addressOf makes the address of a download token */
export function presentUpdate(
  { releases: [newest], changelogs, downloadToken, denied }: Update,
  html: string,
  addressOf: (downloadToken: string) => string,
) {
  if (!newest) return null;
  return {
    version: newest.version,
    published_at: timeOrNull(newest.publishedAt),
    notes_markdown: changelogs.map(({ text }) => text).join('\n\n'),
    notes_html: html,
    download_url: downloadToken && addressOf(downloadToken),
    ...(denied && { denied: DENIED[denied] ?? 'download_denied' }),
    size: newest.file?.size ?? null,
    sha256: newest.file?.sha256 ?? null,
    // Releases do not have these two fields yet.
    signature: null,
    critical: false,
  };
}
