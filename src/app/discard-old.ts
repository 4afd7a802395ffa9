import type { Datetime } from '../domain/datetime.ts';
import { idleSince } from '../domain/session.ts';
import type { Transaction } from '../store/store.ts';
import { defineCommand } from './command.ts';
import { DISCARDED_AT_ONCE } from './discarding.ts';

type Discard = (transaction: Transaction, before: Datetime, now: Datetime) => Promise<number>;

/** What is kept for some time only. */
const DISCARDS = {
  downloads: ({ downloads }, before, now) => downloads.discard(before, now, DISCARDED_AT_ONCE),
  /** Deliveries, then their events. */
  async events({ deliveries, events }, before, now) {
    const gone = await deliveries.discard(before, now, DISCARDED_AT_ONCE);
    return gone === DISCARDED_AT_ONCE ? gone : events.discard(before, now, DISCARDED_AT_ONCE);
  },
  idempotency_keys: async ({ requests, repeatedChanges }, before) => {
    const gone = await requests.discard(before, DISCARDED_AT_ONCE);
    return gone === DISCARDED_AT_ONCE ? gone : repeatedChanges.discard(before, DISCARDED_AT_ONCE);
  },
  /** Those whose leases have all expired by then. */
  revocations: ({ revocations }, before) => revocations.discard(before, DISCARDED_AT_ONCE),
  /** Sessions and links that have ended by then. */
  async sessions({ sessions, invitations }, before) {
    await sessions.discard(before, idleSince(before));
    await invitations.discard(before);
    return 0;
  },
} satisfies Record<string, Discard>;

/** Deletes some of what is older than an instant. Returns DISCARDED_AT_ONCE while more may be due, else a lower number. */
export const discardOld = defineCommand({
  name: 'discard-old',
  guarded: true,
  audit: { never: 'it is kept for some time only' },
  run: (
    transaction,
    { what, before }: { what: keyof typeof DISCARDS; before: Datetime },
    { now },
  ): Promise<number> => DISCARDS[what](transaction, before, now),
});
