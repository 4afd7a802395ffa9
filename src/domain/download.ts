import type { ActivationMeta, LicensedActivation } from './activation.ts';
import { type Datetime, toMilliseconds } from './datetime.ts';
import { type Created, datetime, type Field, optional, reference } from './fields.ts';
import { DISABLED, isExpired } from './license.ts';
import { type DownloadDenial, done, type Outcome, refused } from './refusal.ts';
import type { Release } from './release.ts';
import { covers, type Software } from './software.ts';

/** What a download token says. */
export interface DownloadClaim {
  releaseId: number;
  /** Null where public software was asked for without an activation. */
  activationId: number | null;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

export interface DownloadCase {
  /** Null where there is none any more; so is the release, where there is none, too. */
  software: Software | null;
  release: Release | null;
  /** Whose download it is; null where there is no such activation, or none any more. */
  holder: LicensedActivation | null;
  /** What was presented: a token, one that we never issued, or none, as before a token is issued. */
  claim: DownloadClaim | 'forged' | null;
  now: Datetime;
}

/** Who may download: the one rule, for offering a download and for the download itself. */
export function mayDownload({ software, release, holder, claim, now }: DownloadCase): Outcome<null> {
  if (claim === 'forged') return refused('download_not_found');
  if (!software || !release) return claim ? denied('release_not_available') : refused('download_not_found');
  if (release.status !== 'published' || !release.file || release.softwareId !== software.id) {
    return denied('release_not_available');
  }
  if (claim) {
    if (claim.releaseId !== release.id) return denied('token_of_another_release');
    if (claim.expiresAt <= toMilliseconds(now)) return denied('token_expired');
    if (holder && claim.activationId !== holder.activation.id) return denied('token_of_another_activation');
  }
  return software.access === 'public' ? done(null) : isEntitled(software, holder, now);
}

/** Whether an activation entitles its holder to software. */
export function isEntitled(
  software: Software,
  holder: LicensedActivation | null,
  now: Datetime,
): Outcome<null> {
  if (!holder) return denied('activation_missing');
  const { activation, license } = holder;
  if (activation.licenseId !== license.id) return denied('activation_missing');
  if (activation.deactivatedAt !== null) return denied('activation_deactivated');
  if (isExpired(license, now)) return denied('license_expired');
  if (license.status === DISABLED) return denied('license_disabled');
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

/** What was downloaded with a license, as long as it is remembered. */
export interface LicenseDownload {
  id: number;
  at: Datetime;
  /** Null where the release is gone. */
  version: string | null;
  softwareName: string | null;
  ipAddress: string | null;
}

/** A day in UTC, of any datetime. */
const day: Field<string> = {
  schema: { type: 'string', description: 'YYYY-MM-DD, UTC', examples: ['2031-02-03'] },
  read(value) {
    const read = datetime.read(value);
    return read.ok ? { ok: true, value: read.value.slice(0, 10) } : read;
  },
};

/** Which downloads to count. */
export const downloadFilterShape = {
  releaseId: optional(reference('Only of this release')),
  from: optional(day),
  to: optional(day),
};
export type DownloadCountFilter = Created<typeof downloadFilterShape>;

/** How often a release was downloaded on a day. */
export interface DownloadCount {
  releaseId: number;
  version: string;
  /** YYYY-MM-DD, UTC */
  day: string;
  downloads: number;
}
