import type { Activation, ActivationMeta } from '../activation.ts';
import { type Datetime, toMilliseconds } from '../datetime.ts';
import { type Created, datetime, type Field, good, optional, reference, refined } from '../fields.ts';
import { DISABLED, isExpired, type License } from '../licenses/license.ts';
import { type DownloadDenial, done, type Outcome, refused } from '../refusal.ts';
import type { Release } from './release.ts';
import { covers, type Software } from './software.ts';

/** The content of a download token. */
export interface DownloadClaim {
  releaseId: number;
  /** Null if the download was requested with a license key, or, for public software, by anyone. */
  activationId: number | null;
  /** The license whose key requested the download; null with an activation. */
  licenseId: number | null;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** Who asks for updates: an activation, or a license by its key. */
export interface Holder {
  activation: Activation | null;
  license: License;
}

export interface DownloadCase {
  /** Null if the software was deleted. */
  software: Software | null;
  /** Null if the release was deleted, or if the software offers none. */
  release: Release | null;
  /** Null for an anonymous download, or if the holder was deleted. */
  holder: Holder | null;
  /** The token presented, `forged` if this service never issued it; null before a token is issued. */
  claim: DownloadClaim | 'forged' | null;
  now: Datetime;
}

/** Whether a download is allowed. This rule applies both to the offer of a download and to the download itself. */
export function mayDownload({ software, release, holder, claim, now }: DownloadCase): Outcome<null> {
  if (claim === 'forged') return refused('download_not_found');
  if (!software || !release) return claim ? denied('release_not_available') : refused('download_not_found');
  if (release.status !== 'published' || !release.file || release.softwareId !== software.id) {
    return denied('release_not_available');
  }
  if (claim && claim.expiresAt <= toMilliseconds(now)) return denied('token_expired');
  return software.access === 'public' ? done(null) : isEntitled(software, holder, now);
}

/** Whether a holder is entitled to software. A license that is both disabled and expired is refused as disabled. */
export function isEntitled(software: Software, holder: Holder | null, now: Datetime): Outcome<null> {
  if (!holder) return denied('activation_missing');
  const { activation, license } = holder;
  if (activation && activation.licenseId !== license.id) return denied('activation_missing');
  if (activation && activation.deactivatedAt !== null) return denied('activation_deactivated');
  if (license.status === DISABLED) return denied('license_disabled');
  if (isExpired(license, now)) return denied('license_expired');
  return covers(software, license) ? done(null) : denied('license_not_covering');
}

const denied = (why: DownloadDenial) => refused('download_denied', { why });

/** A download that took place. */
export interface DownloadRecord {
  releaseId: number;
  licenseId: number | null;
  activationId: number | null;
  ipAddress: string | null;
  userAgent: string | null;
  meta: ActivationMeta | null;
}

/** A download with a license, until its record expires. */
export interface LicenseDownload {
  id: number;
  at: Datetime;
  /** Null if the release was deleted. */
  version: string | null;
  softwareName: string | null;
  ipAddress: string | null;
}

/** A field for a datetime. Reads its UTC day. */
const day: Field<string> = refined(datetime, (at) => good(at.slice(0, 10)), {
  type: 'string',
  description: 'YYYY-MM-DD, UTC',
  examples: ['2031-02-03'],
});

export const downloadFilterShape = {
  releaseId: optional(reference('Only of this release')),
  from: optional(day),
  to: optional(day),
};
export type DownloadCountFilter = Created<typeof downloadFilterShape>;

/** Number of downloads of a release on a day. */
export interface DownloadCount {
  releaseId: number;
  version: string;
  /** YYYY-MM-DD, UTC */
  day: string;
  downloads: number;
}
