import type { LicensedActivation } from '../domain/activation.ts';
import { type Actor, reaches } from '../domain/actor.ts';
import { type Datetime, toMilliseconds } from '../domain/datetime.ts';
import {
  type DownloadCase,
  type DownloadClaim,
  type DownloadRecord,
  isEntitled,
  mayDownload,
} from '../domain/download.ts';
import { done, type Outcome } from '../domain/refusal.ts';
import { CHANNELS, type Channel, isOffered, type Release } from '../domain/release.ts';
import { reachesSoftware, type Software } from '../domain/software.ts';
import type { Reads } from '../store/store.ts';
import { findActivation } from './activations.ts';
import type { DownloadTokens } from './download-tokens.ts';
import { findSoftware } from './software.ts';

/** What a site is told when it asks for news of software. */
export interface Update {
  software: Software;
  /** Offered to it, highest version first; some of them, where there are very many. */
  releases: Release[];
  /** The key of the license that entitles it; null where none does. */
  licenseKey: string | null;
  /** Good for the first of the releases; null where it may not download that, or there is none. */
  downloadToken: string | null;
}

export interface UpdateQuestion {
  /** Id of the software as it was sent. */
  software: string;
  activationToken: string | null;
  channel: Channel;
}

export interface UpdateServices {
  reads: Reads;
  downloadTokens: DownloadTokens;
  /** Milliseconds that a download token is good for. */
  downloadTime: number;
}

/** News of software: which releases are there for this activation, and the means to get the newest if it may. */
export async function findUpdate(
  { reads, downloadTokens, downloadTime }: UpdateServices,
  question: UpdateQuestion,
  actor: Actor,
  now: Datetime,
): Promise<Outcome<Update>> {
  const found = await findSoftware(reads, question.software, actor);
  if (!found.ok) return found;
  const software = found.value;
  const holder = question.activationToken ? await holderOf(reads, question.activationToken, actor) : null;
  const releases = await offered(reads, software, question.channel, holder);
  const release = releases[0] ?? null;
  const allowed = mayDownload({ software, release, holder, claim: null, now }).ok;
  const claim = release &&
    allowed && {
      releaseId: release.id,
      activationId: holder?.activation.id ?? null,
      expiresAt: toMilliseconds(now) + downloadTime,
    };
  return done({
    software,
    releases,
    licenseKey: holder && isEntitled(software, holder, now).ok ? holder.license.key : null,
    downloadToken: claim ? downloadTokens.issue(claim) : null,
  });
}

async function holderOf(reads: Reads, token: string, actor: Actor): Promise<LicensedActivation | null> {
  const found = await findActivation(reads, token, actor);
  return found.ok ? found.value : null;
}

async function offered(
  reads: Reads,
  software: Software,
  channel: Channel,
  holder: LicensedActivation | null,
): Promise<Release[]> {
  const channels = CHANNELS.slice(0, CHANNELS.indexOf(channel) + 1);
  const published = await reads.releases.published(software.id, channels);
  return published.filter((release) => isOffered(release, channel, holder?.activation.id ?? null));
}

/** A release that may be downloaded now, and for whom. */
export interface GrantedDownload {
  file: NonNullable<Release['file']>;
  release: Release;
  /** To be written down, with what the request says of itself. */
  record: Pick<DownloadRecord, 'releaseId' | 'licenseId' | 'activationId'>;
}

/** What a download token or an activation token is good for now. */
export async function findDownload(
  { reads, downloadTokens }: Pick<UpdateServices, 'reads' | 'downloadTokens'>,
  token: string,
  actor: Actor,
  now: Datetime,
): Promise<Outcome<GrantedDownload>> {
  const claim = downloadTokens.read(token);
  const asked = claim
    ? await askedByClaim(reads, claim, actor)
    : await askedByActivation(reads, token, actor);
  const { release, holder } = asked;
  const allowed = mayDownload({ ...asked, claim, now });
  if (!allowed.ok) return allowed;
  if (!release?.file) throw new Error('a release without a file was granted');
  const record = {
    releaseId: release.id,
    licenseId: holder?.license.id ?? null,
    activationId: holder?.activation.id ?? null,
  };
  return done({ file: release.file, release, record });
}

type Asked = Pick<DownloadCase, 'software' | 'release' | 'holder'>;
const NOTHING: Asked = { software: null, release: null, holder: null };

async function askedByClaim(reads: Reads, claim: DownloadClaim | 'forged', actor: Actor): Promise<Asked> {
  if (claim === 'forged') return NOTHING;
  const release = await reads.releases.find(claim.releaseId);
  const software = release && (await reads.software.find(release.softwareId));
  if (!software || !reachesSoftware(actor, software)) return NOTHING;
  const holder = claim.activationId === null ? null : await reads.activations.find(claim.activationId);
  return { software, release, holder: holder && reaches(actor, holder.license) ? holder : null };
}

/** The newest stable release of the software that the activation is for. */
async function askedByActivation(reads: Reads, token: string, actor: Actor): Promise<Asked> {
  const holder = await holderOf(reads, token, actor);
  const software = holder && (await softwareOf(reads, holder, actor));
  if (!software) return NOTHING;
  const [release = null] = await offered(reads, software, 'stable', holder);
  return { software, release, holder };
}

/** The one that was named at the activation; where none was, the only one that the license covers. */
async function softwareOf(
  reads: Reads,
  { activation, license }: LicensedActivation,
  actor: Actor,
): Promise<Software | null> {
  if (activation.softwareId !== null) {
    const named = await reads.software.find(activation.softwareId);
    return named && reachesSoftware(actor, named) ? named : null;
  }
  const covering = await reads.software.covering(license.productId, 2);
  const [only] = covering.filter((one) => reachesSoftware(actor, one));
  return covering.length === 1 ? (only ?? null) : null;
}
