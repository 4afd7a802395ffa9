import type { Activation } from '../activation.ts';
import type { Datetime, Stamps } from '../datetime.ts';
import {
  bad,
  type Changes,
  type Created,
  type Field,
  good,
  integer,
  oneOf,
  optional,
  refined,
  required,
  text,
} from '../fields.ts';
import { version } from './version.ts';

/** Most stable first. A channel offers its own releases and those of all channels before it. */
export const CHANNELS = ['stable', 'rc', 'beta', 'alpha'] as const;
export type Channel = (typeof CHANNELS)[number];

/** Only a published release is offered and can be downloaded. */
export const RELEASE_STATUSES = ['published', 'draft', 'yanked'] as const;
export type ReleaseStatus = (typeof RELEASE_STATUSES)[number];

export interface ReleaseFile {
  name: string;
  /** Media type. */
  type: string;
  /** Bytes. */
  size: number;
  /** 64 hex digits. */
  sha256: string;
  /** 128 hex digits. */
  sha512: string;
  /** Storage key of the file. */
  key: string;
}

export interface Release extends Stamps {
  id: number;
  softwareId: number;
  /** Unique within the software; 1.4 and 1.4.0 are the same version. */
  version: string;
  channel: Channel;
  status: ReleaseStatus;
  /** For the vendor's staff; null unless yanked. */
  yankReason: string | null;
  changelog: string | null;
  upgradeNotice: string | null;
  /** Percentage of activations that the release is offered to. */
  rollout: number;
  /** Null only for a release that was never published. */
  file: ReleaseFile | null;
  /** Time of the first publication; null before it. */
  publishedAt: Datetime | null;
}

const EVERYBODY = 100;

/** Multi-line text. HTML forms send CR LF line ends, and files of some editors begin with a byte order mark. */
function lines(max: number): Field<string> {
  const { schema, read } = text({ max });
  return {
    schema,
    read: (value) =>
      read(typeof value === 'string' ? value.replace(/^\ufeff/, '').replaceAll('\r\n', '\n') : value),
  };
}

/** The parameters of a create, besides the file (contract section 8). */
export const releaseShape = {
  version: required(version),
  channel: optional(oneOf(CHANNELS, `${CHANNELS.join(', ')}; stable when not sent`), { clearable: false }),
  changelog: optional(lines(65_535)),
  upgradeNotice: optional(lines(1_000)),
  status: optional(oneOf(RELEASE_STATUSES, `${RELEASE_STATUSES.join(', ')}; published when not sent`), {
    clearable: false,
  }),
  rollout: optional(
    integer({
      max: EVERYBODY,
      description: 'Percentage of activations that are offered the release; 100 when not sent',
    }),
  ),
};
export type NewRelease = Created<typeof releaseShape>;
/** Further parameters of the console; the v1 API does not have them. */
export const yankShape = { yankReason: optional(lines(1_000)) };
export type ReleaseChanges = Changes<typeof releaseShape & typeof yankShape>;
export const RELEASE_DEFAULTS = { channel: 'stable', status: 'published', rollout: EVERYBODY } as const;

/** The name of a downloaded file. */
export const fileName: Field<string> = refined(text({ min: 1, max: 255 }), (name) =>
  /[/\\\p{Cc}]/u.test(name) || /^\.\.?$/.test(name) ? bad('not_file_name') : good(name),
);
/** Maximum size of a file in bytes. */
export const FILE_MAX = 2 * 1024 ** 3;

/** Returns the channel with a name; `stable` for any other value. */
export const channelOf = (name: unknown): Channel => CHANNELS.find((channel) => channel === name) ?? 'stable';

/** Returns the channel with which the pre-release of a version begins (`2.0.0-rc.1`, `2.0beta2`); `stable` without one. */
export const channelFor = (version: string): Channel =>
  channelOf(/^v?[\d.]+-?(alpha|beta|rc)(?![a-z])/i.exec(version)?.[1]?.toLowerCase());

type Offered = Pick<Release, 'id' | 'status' | 'channel' | 'rollout'>;
type Asking = Pick<Activation, 'id' | 'device'>;

/** Whether a release is offered. @param activation null for a client without an activation, who gets only full rollouts */
export const isOffered = (release: Offered, channel: Channel, activation: Asking | null): boolean =>
  release.status === 'published' &&
  CHANNELS.indexOf(release.channel) <= CHANNELS.indexOf(channel) &&
  isRolledOut(release, activation);

/** A device has a fixed position in the rollout of a release, so a larger percentage excludes nobody. */
function isRolledOut({ id, rollout }: Offered, activation: Asking | null): boolean {
  if (rollout >= EVERYBODY || activation === null) return rollout >= EVERYBODY;
  return mixed(mixed(id) + numberOf(activation)) % EVERYBODY < rollout;
}

/** A number that a device keeps when it is activated again. A device that cannot be recognized has one per activation. */
const numberOf = ({ id, device }: Asking): number =>
  device === null
    ? id
    : Array.from(device).reduce((hash, character) => mixed(hash + character.charCodeAt(0)), 0);

/** Hashes an integer to 32 bits: fmix32 of MurmurHash3, by Austin Appleby, in the public domain. */
function mixed(value: number): number {
  let hash = value >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
