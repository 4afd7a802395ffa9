import type { AuditHead } from '../../domain/audit.ts';
import { MAX_REFERENCE } from '../../domain/fields.ts';
import type { AuditReads } from '../../store/store.ts';
import type { Command } from '../command.ts';

/** Entries that get their place by one command, so that others wait little. */
export const CHAINED_AT_ONCE = 500;

export interface ChainAuditEntries {
  /** How many ids below the highest that has a place are looked through for entries that were committed late. */
  reach: number;
}

/**
 * Gives entries that have none a place at the end of the chain, in the order of their ids: how many. An entry whose
 * transaction ended after those of later ids comes behind them.
 */
export const chainAuditEntries: Command<ChainAuditEntries, number> = async (
  { audit },
  { reach },
  _context,
) => {
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
};

/**
 * What the next place comes behind. Where somebody has cut the chain off, or taken away what tells of its end, a gap stays
 * for good: the next entry must not make whole what is not.
 */
async function endOf(audit: Pick<AuditReads, 'head' | 'last'>): Promise<AuditHead> {
  const last = (await audit.last()) ?? { position: 0, hash: '' };
  const head = await audit.head();
  if (head?.isGenuine && head.position >= last.position) return head;
  const isFirst = head === null && last.position === 0;
  return isFirst ? last : { ...last, position: last.position + 1 };
}
