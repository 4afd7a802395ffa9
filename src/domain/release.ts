import type { Datetime } from './datetime.ts';
import {
  bad,
  type Changes,
  type Created,
  type Field,
  integer,
  oneOf,
  optional,
  required,
  text,
} from './fields.ts';
import { version } from './version.ts';

/** From the most stable on: a channel offers its own releases and those of all before it. */
export const CHANNELS = ['stable', 'rc', 'beta', 'alpha'] as const;
export type Channel = (typeof CHANNELS)[number];

/** Only a published release is offered, and only it can be downloaded. */
export const RELEASE_STATUSES = ['published', 'draft', 'yanked'] as const;
export type ReleaseStatus = (typeof RELEASE_STATUSES)[number];

/** The file of a release, as its uploader named it, and what its bytes are. */
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
  /** Where the storage has the bytes. */
  key: string;
}

export interface Release {
  id: number;
  softwareId: number;
  /** Unique within the software; 1.4 and 1.4.0 are the same. */
  version: string;
  channel: Channel;
  status: ReleaseStatus;
  /** Why it was yanked, for the vendor's own people; null where nobody said, and in one that is not yanked. */
  yankReason: string | null;
  changelog: string | null;
  upgradeNotice: string | null;
  /** Percentage of activations that it is offered to. */
  rollout: number;
  /** Null only in one that was never published. */
  file: ReleaseFile | null;
  /** When it was first published. */
  publishedAt: Datetime | null;
  createdAt: Datetime;
  createdBy: number;
  updatedAt: Datetime | null;
  updatedBy: number | null;
}

const EVERYBODY = 100;

/** Text of several lines. Forms of browsers and programs end them with CR LF, whatever was typed. */
function lines(max: number): Field<string> {
  const { schema, read } = text({ max });
  return {
    schema,
    read: (value) => read(typeof value === 'string' ? value.replaceAll('\r\n', '\n') : value),
  };
}

/** What create requires and takes, besides the file (contract section 8). */
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
      description: 'Percentage of activations that it is offered to; 100 when not sent',
    }),
  ),
};
export type NewRelease = Created<typeof releaseShape>;
/** What the vendor's own people say beside it. The v1 API has nothing of this. */
export const yankShape = {
  yankReason: optional(lines(1_000)),
};
export type ReleaseChanges = Changes<typeof releaseShape & typeof yankShape>;
export const RELEASE_DEFAULTS = { channel: 'stable', status: 'published', rollout: EVERYBODY } as const;

const name = text({ min: 1, max: 255 });
/** What a file is called where it is downloaded. */
export const fileName: Field<string> = {
  schema: name.schema,
  read(value) {
    const read = name.read(value);
    return read.ok && (/[/\\\p{Cc}]/u.test(read.value) || /^\.\.?$/.test(read.value))
      ? bad('not_file_name')
      : read;
  },
};
/** Bytes of a file. */
export const FILE_MAX = 2 * 1024 ** 3;

/** The channel of a name; another name counts as stable. */
export const channelOf = (name: unknown): Channel => CHANNELS.find((channel) => channel === name) ?? 'stable';

type Offered = Pick<Release, 'id' | 'status' | 'channel' | 'rollout'>;

/**
 * Whether a release is offered in a channel to an activation.
 * @param activationId null for a client without one, which gets only what everybody gets
 */
export const isOffered = (release: Offered, channel: Channel, activationId: number | null): boolean =>
  release.status === 'published' &&
  CHANNELS.indexOf(release.channel) <= CHANNELS.indexOf(channel) &&
  isRolledOut(release, activationId);

/** The same activation always has the same place in the rollout of a release, so that raising it takes nobody out. */
function isRolledOut({ id, rollout }: Offered, activationId: number | null): boolean {
  if (rollout >= EVERYBODY || activationId === null) return rollout >= EVERYBODY;
  return mixed(mixed(id) + activationId) % EVERYBODY < rollout;
}

/** Spreads integers evenly over 32 bits. From MurmurHash3, by Austin Appleby, in the public domain (fmix32). */
function mixed(value: number): number {
  let hash = value >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
