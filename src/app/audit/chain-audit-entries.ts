import type { AuditHead } from '../../domain/audit.ts';
import { MAX_REFERENCE } from '../../domain/fields.ts';
import type { AuditReads } from '../../store/store.ts';
import { defineCommand } from '../command.ts';

/** Entries of one transaction, so that other commands wait little. */
export const CHAINED_AT_ONCE = 500;

/**
 * Appends at most CHAINED_AT_ONCE new entries to the chain in the order of their ids, and returns how many. An entry
 * that was committed after entries with higher ids follows those.
 * @param input.reach how many ids below the highest chained id to search for entries committed late
 */
export const chainAuditEntries = defineCommand({
  name: 'chain-audit-entries',
  guarded: true,
  audit: { never: 'the trail itself' },
  run: async ({ audit }, { reach }: { reach: number }): Promise<number> => {
    await audit.lock();
    const above = Math.max(0, (await audit.lastChained()) - reach);
    const entries = await audit.unchained({ above, upTo: MAX_REFERENCE, limit: CHAINED_AT_ONCE });
    if (entries.length === 0) return 0;
    let { position, hash } = await endOf(audit);
    const links = entries.map(({ id, mac }) => {
      position++;
      hash = audit.linkHash(hash, position, id, mac);
      return { position, hash, entryId: id };
    });
    await audit.append(links);
    return links.length;
  },
});

/**
 * Returns the link that the next entry follows. After tampering (a truncated chain, or a removed record of its end) it
 * leaves a permanent gap in the positions, so that new entries cannot hide the tampering.
 */
async function endOf(audit: Pick<AuditReads, 'head' | 'last'>): Promise<AuditHead> {
  const last = (await audit.last()) ?? { position: 0, hash: '' };
  const head = await audit.head();
  if (head?.isGenuine && head.position >= last.position) return head;
  const isFirst = head === null && last.position === 0;
  return isFirst ? last : { ...last, position: last.position + 1 };
}
