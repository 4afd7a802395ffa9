import { setImmediate } from 'node:timers/promises';
import { SYSTEM } from '../../domain/actor.ts';
import { type AuditHead, headText } from '../../domain/audit.ts';
import { toDatetime, toMilliseconds } from '../../domain/datetime.ts';
import { MAX_REFERENCE } from '../../domain/fields.ts';
import type { AuditLink, AuditReads, KeptHead } from '../../store/store.ts';
import type { Services } from '../execute.ts';
import { CHAINED_AT_ONCE } from './chain-audit-entries.ts';

/**
 * How many ids below the highest chained id to search for unchained entries: every few seconds, every hour, and before the
 * trail is verified. `verifyAudit` finds entries that were committed even later.
 */
export const REACH = { often: 1_000, seldom: 20_000, most: 100_000 };

/** Appends new entries to the chain. */
export async function chainEntries(
  { store, execute }: Pick<Services, 'store' | 'execute'>,
  reach: number,
): Promise<void> {
  const { audit } = store.read;
  // Read first: usually nothing is new, and no lock is needed.
  const above = Math.max(0, (await audit.lastChained()) - reach);
  if ((await audit.unchained({ above, upTo: MAX_REFERENCE, limit: 1 })).length === 0) return;
  while ((await execute('chain-audit-entries', { reach }, SYSTEM)) === CHAINED_AT_ONCE);
}

/** Returns how many milliseconds the oldest unchained entry has waited; 0 if every entry is chained. */
export async function chainLag({ store, clock }: Pick<Services, 'store' | 'clock'>): Promise<number> {
  const { audit } = store.read;
  const above = Math.max(0, (await audit.lastChained()) - REACH.often);
  const [oldest] = await audit.unchained({ above, upTo: MAX_REFERENCE, limit: 1 });
  return oldest ? Math.max(0, clock() - toMilliseconds(oldest.at)) : 0;
}

/** A sign of tampering with the trail. */
export interface AuditFault {
  kind: 'entry_changed' | 'entry_missing' | 'entry_copied' | 'not_in_chain' | 'gap' | 'wrong_hash' | 'head';
  /** Position in the chain; null for `not_in_chain` and `entry_copied`. */
  position: number | null;
  entryId: number | null;
  message: string;
}
export interface AuditReport {
  /** The end of the chain, for an administrator to note elsewhere; null for an empty chain. */
  head: AuditHead | null;
  /** The number of links checked. */
  checked: number;
  /** The first faults, at most FAULTS_MAX. */
  faults: AuditFault[];
}

const LINKS_AT_ONCE = 500;
const IDS_AT_ONCE = 5_000;
export const FAULTS_MAX = 100;
/** Milliseconds after which an unchained entry is a fault. */
const LATE_MS = 60_000;

/** Verifies the whole trail. @param noted an earlier head, which must be in the chain */
export async function verifyAudit(
  { store: { read }, clock }: Pick<Services, 'store' | 'clock'>,
  noted: AuditHead | null = null,
): Promise<AuditReport> {
  const report = await verifyChain(read.audit, 0, noted);
  const addFault = faultsOf(report);
  const before = toDatetime(clock() - LATE_MS);
  for await (const { id, at } of unchainedEntries(read.audit))
    if (at < before) addFault('not_in_chain', null, id, `entry ${id} has no place in the chain`);
  for (const id of await read.audit.copies(FAULTS_MAX))
    addFault('entry_copied', null, id, `entry ${id} is a copy of another one`);
  return report;
}

type Chain = Pick<AuditReads, 'links' | 'linkHash' | 'last' | 'head'>;

/** Verifies the last links of the chain. @param last number of links */
export async function verifyEnd(chain: Chain, last: number): Promise<AuditReport> {
  const end = await chain.last();
  return verifyChain(chain, Math.max(0, (end?.position ?? 0) - last), null);
}

type AddFault = (
  ...fault: [kind: AuditFault['kind'], position: number | null, entryId: number | null, message: string]
) => void;

const faultsOf =
  ({ faults }: AuditReport): AddFault =>
  (kind, position, entryId, message) => {
    if (faults.length < FAULTS_MAX) faults.push({ kind, position, entryId, message });
  };

/** Verifies all links after a position. @param after 0 for the whole chain @param noted an earlier head to look for */
async function verifyChain(audit: Chain, after: number, noted: AuditHead | null): Promise<AuditReport> {
  const report: AuditReport = { head: null, checked: 0, faults: [] };
  const addFault = faultsOf(report);
  const [before] = after === 0 ? [] : await audit.links(after - 1, 1);
  let previous: AuditHead = before ?? { position: 0, hash: '' };
  let hasNoted = false;
  let head: KeptHead | null;
  let checked: number;
  // The chain may grow meanwhile: repeat until the head was read before a round without new links.
  do {
    head = await audit.head();
    checked = report.checked;
    for (;;) {
      const links = await audit.links(previous.position, LINKS_AT_ONCE);
      if (links.length === 0) break;
      for (const link of links) {
        checkLink(audit, previous, link, addFault);
        if (link.position === noted?.position) hasNoted = link.hash === noted.hash;
        previous = link;
      }
      report.checked += links.length;
      await setImmediate();
    }
  } while (report.checked > checked);
  const headFault = headFaultOf(previous, head);
  const headAt = head?.isGenuine ? Math.max(previous.position, head.position) : previous.position;
  if (headFault) addFault('head', headAt, null, headFault);
  if (noted && !hasNoted)
    addFault('head', noted.position, null, `the head ${headText(noted)} that was noted is not in the chain`);
  if (previous.position > 0) report.head = { position: previous.position, hash: previous.hash };
  return report;
}

function checkLink(audit: Chain, previous: AuditHead, link: AuditLink, addFault: AddFault): void {
  const { position, entryId, mac } = link;
  const next = previous.position + 1;
  if (position !== next) {
    const gone = position - 1 === next ? `position ${next} is` : `positions ${next} to ${position - 1} are`;
    addFault('gap', next, null, `${gone} missing from the chain`);
  }
  if (mac === null) addFault('entry_missing', position, entryId, `entry ${entryId} is missing`);
  else if (!link.isGenuine) addFault('entry_changed', position, entryId, `entry ${entryId} was changed`);
  // The right hash is unknown after a gap, or if the entry of the link is missing.
  else if (position === next && audit.linkHash(previous.hash, position, entryId, mac) !== link.hash) {
    const message = `the hash at position ${position} does not follow from the links before it`;
    addFault('wrong_hash', position, entryId, message);
  }
}

/** The fault in the stored record of the chain's end; null if it matches the last link. */
function headFaultOf({ position, hash }: AuditHead, head: KeptHead | null): string | null {
  if (!head) return position > 0 ? 'the record of where the chain ends is missing' : null;
  if (!head.isGenuine) return 'the record of where the chain ends was changed';
  if (head.position > position)
    return `the chain ends at position ${position}, but went on to ${head.position}: its end was cut off`;
  return head.position < position || head.hash !== hash
    ? `the chain ends at position ${position}, which does not match the record of its end (position ${head.position})`
    : null;
}

/** Finds entries that are not in the chain, at most FAULTS_MAX in each range of ids. */
async function* unchainedEntries(audit: AuditReads) {
  for (let upTo = MAX_REFERENCE; ; await setImmediate()) {
    // Skip to the next existing id: tampering may have left huge gaps between ids.
    const newest = await audit.timeAt(upTo);
    if (!newest) return;
    const above = Math.max(0, newest.id - IDS_AT_ONCE);
    yield* await audit.unchained({ above, upTo: newest.id, limit: FAULTS_MAX });
    upTo = above;
  }
}
