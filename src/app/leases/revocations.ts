import { createHash } from 'node:crypto';
import { type Clock, toSeconds } from '../../domain/datetime.ts';
import type { Revocation } from '../../domain/lease.ts';
import type { Store } from '../../store/store.ts';
import type { Signer } from '../keys/create-signer.ts';
import { oneAtATime } from '../one-at-a-time.ts';

export interface SignedList {
  text: string;
  /** Without quotes. */
  etag: string;
}

/** Milliseconds between two comparisons of the list with the database. */
const LOOK_MS = 5_000;
/** Maximum number of entries of a list, which keeps it within 4 MiB. Older entries are left out. */
const ENTRIES_MAX = 100_000;
/** Seconds after which an unchanged list is signed again, and seconds for which a list is valid. */
const SIGNED_FOR = 6 * 3_600;
const GOOD_FOR = 24 * 3_600;

interface Kept extends SignedList {
  /** The base URL, the signing key and the state of the revocations that the list was made from. */
  basis: string;
  iat: number;
}

/** Returns the members of a list. */
function entriesOf(revocations: readonly Revocation[]) {
  const pairs = (kind: Revocation['kind']) =>
    revocations
      .filter((one) => one.kind === kind)
      .map(({ objectId, revokedAt }) => [objectId, toSeconds(revokedAt)]);
  return { lic: pairs('license'), act: pairs('activation') };
}

export type Revocations = ReturnType<typeof createRevocations>;

/** Returns a source of revocation lists that signs a list only when it has changed or has become old. */
export function createRevocations({ read }: Pick<Store, 'read'>, signer: Signer, clock: Clock) {
  let last: Kept | undefined;
  const known = { entries: entriesOf([]), state: '', lookedAt: Number.NEGATIVE_INFINITY };

  const looking = oneAtATime(async () => {
    const at = clock();
    // Read the state before the list: the next comparison then finds a revocation made between the two queries.
    const state = JSON.stringify(await read.revocations.state());
    if (state !== known.state) known.entries = entriesOf(await read.revocations.list(ENTRIES_MAX));
    Object.assign(known, { state, lookedAt: at });
  });

  return {
    /**
     * Returns the signed list of revocations as it was at most LOOK_MS ago.
     * @param iss the same in each call: only the last list is kept
     * @throws StoreUnavailable
     */
    async list(iss: string): Promise<SignedList> {
      if (Math.abs(clock() - known.lookedAt) >= LOOK_MS) await looking.start();
      const { kid, until, sign } = await signer.current();
      const iat = Math.floor(clock() / 1_000);
      const basis = `${iss} ${kid} ${known.state}`;
      if (last?.basis === basis && last.iat <= iat && iat < last.iat + SIGNED_FOR) return last;
      const text = sign('lk-revocations+jwt', {
        iss,
        // Use the time: row ids would go back when a backup is restored.
        seq: iat,
        iat,
        exp: Math.min(iat + GOOD_FOR, until),
        ...known.entries,
      });
      const etag = createHash('sha256').update(text).digest('base64url').slice(0, 22);
      last = { text, etag, basis, iat };
      return last;
    },
  };
}
