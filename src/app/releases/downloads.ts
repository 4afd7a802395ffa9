import { type Actor, reaches } from '../../domain/actor.ts';
import type { Datetime } from '../../domain/datetime.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import {
  type DownloadCase,
  type DownloadClaim,
  type DownloadCount,
  type DownloadCountFilter,
  type DownloadRecord,
  type Holder,
  mayDownload,
} from '../../domain/releases/download.ts';
import type { Release } from '../../domain/releases/release.ts';
import { reachesSoftware } from '../../domain/releases/software.ts';
import type { Listed, Page, Reads } from '../../store/store.ts';
import { findLicense } from '../licenses/licenses.ts';
import type { DownloadTokens } from './download-tokens.ts';
import { findSoftware, softwareOf } from './software.ts';
import { holderOf, offered } from './updates.ts';

/** A release that may be downloaded now. */
export interface GrantedDownload {
  file: NonNullable<Release['file']>;
  /** What to record about the download, together with the client's data. */
  record: Pick<DownloadRecord, 'releaseId' | 'licenseId' | 'activationId'>;
}

interface DownloadServices {
  reads: Reads;
  downloadTokens: DownloadTokens;
}

/** Finds the download that a download token of an activation or a license allows now. */
export async function findHeldDownload(
  services: DownloadServices,
  token: string,
  actor: Actor,
  now: Datetime,
): Promise<Outcome<GrantedDownload>> {
  const claim = services.downloadTokens.read(token);
  const isHeld = claim !== null && claim !== 'forged' && (claim.activationId ?? claim.licenseId) !== null;
  return isHeld ? findDownload(services, token, actor, now) : refused('download_not_found');
}

/** Finds the download that a download token or an activation token allows now. */
export async function findDownload(
  { reads, downloadTokens }: DownloadServices,
  token: string,
  actor: Actor,
  now: Datetime,
): Promise<Outcome<GrantedDownload>> {
  const claim = downloadTokens.read(token);
  const wanted = await (claim ? wantedByClaim(reads, claim, actor) : wantedByActivation(reads, token, actor));
  return granted(wanted, claim, now);
}

/** Finds the newest stable release of the software that a license covers, if the license allows the download now. */
export async function findLicenseDownload(
  { reads }: Pick<DownloadServices, 'reads'>,
  named: string,
  actor: Actor,
  now: Datetime,
): Promise<Outcome<GrantedDownload>> {
  const found = await findLicense(reads, named, actor);
  if (!found.ok) return found;
  return granted(await wantedByHolder(reads, { activation: null, license: found.value }, actor), null, now);
}

function granted(wanted: Wanted, claim: DownloadCase['claim'], now: Datetime): Outcome<GrantedDownload> {
  const { release, holder } = wanted;
  const allowed = mayDownload({ ...wanted, claim, now });
  if (!allowed.ok) return allowed;
  if (!release?.file) throw new Error('a release without a file was granted');
  const record = {
    releaseId: release.id,
    licenseId: holder?.license.id ?? null,
    activationId: holder?.activation?.id ?? null,
  };
  return done({ file: release.file, record });
}

type Wanted = Pick<DownloadCase, 'software' | 'release' | 'holder'>;
const NOTHING: Wanted = { software: null, release: null, holder: null };

async function wantedByClaim(reads: Reads, claim: DownloadClaim | 'forged', actor: Actor): Promise<Wanted> {
  if (claim === 'forged') return NOTHING;
  const release = await reads.releases.find(claim.releaseId);
  const software = release && (await reads.software.find(release.softwareId));
  if (!software || !reachesSoftware(actor, software)) return NOTHING;
  const holder = await holderOfClaim(reads, claim);
  return { software, release, holder: holder && reaches(actor, holder.license) ? holder : null };
}

async function holderOfClaim(
  { activations, licenses }: Reads,
  { activationId, licenseId }: DownloadClaim,
): Promise<Holder | null> {
  if (activationId !== null) return activations.find(activationId);
  const license = licenseId === null ? null : await licenses.find({ id: licenseId });
  return license && { activation: null, license };
}

async function wantedByActivation(reads: Reads, token: string, actor: Actor): Promise<Wanted> {
  const holder = await holderOf(reads, token, actor);
  return holder ? wantedByHolder(reads, holder, actor) : NOTHING;
}

/** Returns the newest stable release of the holder's software. */
async function wantedByHolder(reads: Reads, holder: Holder, actor: Actor): Promise<Wanted> {
  const software = await softwareOf(reads, holder, actor);
  if (!software) return NOTHING;
  const [release = null] = await offered(reads, software, 'stable', holder);
  return { software, release, holder };
}

/** Returns the number of downloads of software, by release and day. */
export async function countDownloads(
  reads: Reads,
  named: string,
  filter: DownloadCountFilter,
  page: Page,
  actor: Actor,
): Promise<Outcome<Listed<DownloadCount>>> {
  const found = await findSoftware(reads, named, actor);
  return found.ok
    ? done(await reads.downloads.counts({ ...filter, softwareId: found.value.id }, page))
    : found;
}
