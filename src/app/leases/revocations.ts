import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Clock, toSeconds } from '../../domain/datetime.ts';
import type { Revocation } from '../../domain/lease.ts';
import type { Store } from '../../store/store.ts';
import { defineCommand } from '../command.ts';
import { DISCARDED_AT_ONCE } from '../discarding.ts';
import type { Signer } from './signer.ts';

export interface SignedList {
  text: string;
  /** Without quotes. */
  etag: string;
}

export interface Revocations {
  /** The list of revocations as it was a few seconds ago. @param iss base URL of the server. @throws StoreUnavailable */
  list(iss: string): Promise<SignedList>;
}

/** Milliseconds for which the list is not compared with the database. */
const LOOK_MS = 5_000;
/** Entries of a list: 4 MiB at most. Older ones are left out. */
const ENTRIES_MAX = 100_000;
/** Seconds after which a list is signed again without changes, and for which it is good. */
const SIGNED_FOR = 6 * 3_600;
const GOOD_FOR = 24 * 3_600;
/** Base URLs, which are those of requests if the operator sets none. */
const LISTS_MAX = 4;

interface Kept extends SignedList {
  /** What the list was made from. */
  basis: string;
  iat: number;
}

/** The members of a list, made once for all base URLs. */
function entriesOf(revocations: readonly Revocation[]) {
  const pairs = (kind: Revocation['kind']) =>
    revocations
      .filter((one) => one.kind === kind)
      .map(({ objectId, revokedAt }) => [objectId, toSeconds(revokedAt)]);
  return { lic: pairs('license'), act: pairs('activation') };
}

/** Signs the list of revocations when it has changed. */
export function createRevocations({ read }: Pick<Store, 'read'>, signer: Signer, clock: Clock): Revocations {
  const kept = new LRUCache<string, Kept>({ max: LISTS_MAX });
  const known = { entries: entriesOf([]), state: '', lookedAt: Number.NEGATIVE_INFINITY };
  let looking: Promise<void> | null = null;

  async function look(): Promise<void> {
    const at = clock();
    // First the state: what is revoked in between is found the next time.
    const state = JSON.stringify(await read.revocations.state());
    if (state !== known.state) known.entries = entriesOf(await read.revocations.list(ENTRIES_MAX));
    Object.assign(known, { state, lookedAt: at });
  }

  return {
    async list(iss) {
      if (Math.abs(clock() - known.lookedAt) >= LOOK_MS) {
        looking ??= look().finally(() => {
          looking = null;
        });
        await looking;
      }
      const { kid, until, sign } = await signer.current();
      const iat = Math.floor(clock() / 1_000);
      const basis = `${kid} ${known.state}`;
      const last = kept.get(iss);
      if (last?.basis === basis && last.iat <= iat && iat < last.iat + SIGNED_FOR) return last;
      const text = sign('lk-revocations+jwt', {
        iss,
        // Numbers of rows would begin again when a backup is restored.
        seq: iat,
        iat,
        exp: Math.min(iat + GOOD_FOR, until),
        ...known.entries,
      });
      const etag = createHash('sha256').update(text).digest('base64url').slice(0, 22);
      const made = { text, etag, basis, iat };
      kept.set(iss, made);
      return made;
    },
  };
}

/** Deletes revocations whose leases have ended by themselves. Returns how many. */
export const discardRevocations = defineCommand({
  name: 'discard-revocations',
  guarded: true,
  audit: { never: 'they have no effect any more' },
  run: ({ revocations }, _input: null, { now }): Promise<number> =>
    revocations.discard(now, DISCARDED_AT_ONCE),
});
