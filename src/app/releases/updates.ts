import type { LicensedActivation } from '../../domain/activation.ts';
import type { Actor } from '../../domain/actor.ts';
import { type Datetime, HOUR_MS, toMilliseconds } from '../../domain/datetime.ts';
import { type DownloadDenial, done, type Outcome, refused } from '../../domain/refusal.ts';
import { type Holder, isEntitled, mayDownload } from '../../domain/releases/download.ts';
import { CHANNELS, type Channel, isOffered, type Release } from '../../domain/releases/release.ts';
import type { Software } from '../../domain/releases/software.ts';
import { versionOrder } from '../../domain/releases/version.ts';
import type { PublishedRelease, Reads } from '../../store/store.ts';
import { findActivation } from '../licenses/activations.ts';
import { findLicense } from '../licenses/licenses.ts';
import type { DownloadTokens } from './download-tokens.ts';
import { findSoftware, softwareOf } from './software.ts';

/** The answer to an update check. */
export interface Update {
  software: Software;
  /** Whether the activation exists for this actor. */
  isHeld: boolean;
  /** Releases offered to the activation, highest version first; limited if there are very many. */
  releases: PublishedRelease[];
  /** Changelogs of the releases, up to CHANGELOGS_MAX. */
  changelogs: Changelog[];
  /** The version at which the next answer's changelogs begin; null if all changelogs fit. */
  nextChangelog: string | null;
  /** The license key, if the license entitles its holder to the software; else null. */
  licenseKey: string | null;
  /** Download token for the first release; null if there is no release, or it may not be downloaded. */
  downloadToken: string | null;
  /** Why the first release may not be downloaded; null if it may be, or if there is none. */
  denied: DownloadDenial | null;
}

export interface Changelog extends Pick<Release, 'version' | 'publishedAt'> {
  /** The stored text: Markdown, HTML or plain text. */
  text: string;
}

interface Wanted {
  channel: Channel;
  /** Offer only versions newer than this; null for all. */
  installed?: string | null;
  /** Begin the changelogs with this version or the next lower one; null or an invalid version for all changelogs. */
  changelogFrom?: string | null;
}
export interface UpdateQuestion extends Wanted {
  /** The id of the software as sent. */
  software: string;
  activationToken: string | null;
}

export interface UpdateServices {
  reads: Reads;
  downloadTokens: DownloadTokens;
  /** Hours for which a download token is valid. */
  downloadHours: number;
}

/** Finds the update of software for the activation with a token, or, without a token, for anyone. */
export async function findUpdate(
  services: UpdateServices,
  question: UpdateQuestion,
  actor: Actor,
  now: Datetime,
): Promise<Outcome<Update>> {
  const { reads } = services;
  const found = await findSoftware(reads, question.software, actor);
  if (!found.ok) return found;
  const holder = question.activationToken ? await holderOf(reads, question.activationToken, actor) : null;
  return done(await updateFor(services, found.value, holder, question, now));
}

/** Finds the update of the only software that a license covers, if the license allows the download now. */
export async function findLicenseUpdate(
  services: UpdateServices,
  named: string,
  actor: Actor,
  now: Datetime,
): Promise<Outcome<Update>> {
  const found = await findLicense(services.reads, named, actor);
  if (!found.ok) return found;
  const holder = { activation: null, license: found.value };
  const software = await softwareOf(services.reads, holder, actor);
  const update = software && (await updateFor(services, software, holder, { channel: 'stable' }, now));
  if (!update || update.releases.length === 0) return refused('download_not_found');
  return update.denied === null ? done(update) : refused('download_denied', { why: update.denied });
}

/** Finds the releases offered to a holder, and issues a download token for the newest if it may be downloaded. */
export async function updateFor(
  { reads, downloadTokens, downloadHours }: UpdateServices,
  software: Software,
  holder: Holder | null,
  { channel, installed = null, changelogFrom = null }: Wanted,
  now: Datetime,
): Promise<Update> {
  const above = installed === null ? null : versionOrder(installed);
  const releases = (await offered(reads, software, channel, holder)).filter(
    ({ version }) => above === null || (versionOrder(version) ?? '') > above,
  );
  const release = releases[0] ?? null;
  const allowed = mayDownload({ software, release, holder, claim: null, now });
  const claim = release &&
    allowed.ok && {
      releaseId: release.id,
      activationId: holder?.activation?.id ?? null,
      licenseId: holder && !holder.activation ? holder.license.id : null,
      expiresAt: toMilliseconds(now) + downloadHours * HOUR_MS,
    };
  return {
    software,
    isHeld: holder !== null,
    releases,
    ...(await changelogsOf(reads, releases, changelogFrom)),
    licenseKey: holder && isEntitled(software, holder, now).ok ? holder.license.key : null,
    downloadToken: claim ? downloadTokens.issue(claim) : null,
    denied: !allowed.ok && allowed.refusal.code === 'download_denied' ? allowed.refusal.args.why : null,
  };
}

/** Returns the activation with a token, and its license; null if it does not exist for this actor. */
export async function holderOf(
  reads: Reads,
  token: string,
  actor: Actor,
): Promise<LicensedActivation | null> {
  const found = await findActivation(reads, token, actor);
  return found.ok ? found.value : null;
}

/** Returns the releases that a channel offers to an activation, or to everybody, highest version first. */
export async function offered(
  reads: Reads,
  software: Pick<Software, 'id'>,
  channel: Channel,
  holder: Holder | null,
): Promise<PublishedRelease[]> {
  const channels = CHANNELS.slice(0, CHANNELS.indexOf(channel) + 1);
  const published = await reads.releases.published(software.id, channels);
  return published.filter((release) => isOffered(release, channel, holder?.activation ?? null));
}

/** Returns the version that a channel offers to everybody instead of a lower, published release; null if there is none. */
export async function higherOffer(reads: Reads, release: Release): Promise<string | null> {
  if (release.status !== 'published') return null;
  const [{ version } = release] = await offered(reads, { id: release.softwareId }, release.channel, null);
  return (versionOrder(version) ?? '') > (versionOrder(release.version) ?? '') ? version : null;
}

/**
 * Maximum number of bytes of changelogs in an answer, unless the first is longer. Many clients ask at once, and some do
 * not read.
 */
const CHANGELOGS_MAX = 64 * 1024;

async function changelogsOf(
  reads: Reads,
  releases: readonly PublishedRelease[],
  from: string | null,
): Promise<Pick<Update, 'changelogs' | 'nextChangelog'>> {
  const order = from === null ? null : versionOrder(from);
  const wanted = releases.filter(
    ({ version, changelogBytes }) =>
      changelogBytes > 0 && (order === null || (versionOrder(version) ?? '') <= order),
  );
  let bytes = 0;
  const end = wanted.findIndex(({ changelogBytes }, i) => {
    bytes += changelogBytes;
    return i > 0 && bytes > CHANGELOGS_MAX;
  });
  const fitting = end < 0 ? wanted : wanted.slice(0, end);
  const changelogs = await Promise.all(
    fitting.map(async ({ id, version, publishedAt, changelog }) => ({
      version,
      publishedAt,
      text: changelog ?? (await reads.releases.find(id))?.changelog ?? '',
    })),
  );
  return { changelogs, nextChangelog: wanted[fitting.length]?.version ?? null };
}
