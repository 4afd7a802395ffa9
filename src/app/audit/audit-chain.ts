import { setImmediate } from 'node:timers/promises';
import { type AuditHead, headText } from '../../domain/audit.ts';
import { type Datetime, toDatetime } from '../../domain/datetime.ts';
import { MAX_REFERENCE } from '../../domain/fields.ts';
import type { AuditLink, AuditReads, KeptHead } from '../../store/store.ts';
import type { Services } from '../execute.ts';
import { SYSTEM } from '../people/set-up.ts';
import { CHAINED_AT_ONCE } from './chain-audit-entries.ts';

/**
 * Ids below the highest one of the chain that are looked through: now and then, at every hour, and before the trail is
 * read. What is committed that much later than others is found by verify.
 */
export const REACH = { often: 1_000, seldom: 20_000, most: 100_000 };

/** Gives entries that have none their place in the chain, where there are any. */
export async function chainEntries(
  { store, execute }: Pick<Services, 'store' | 'execute'>,
  reach: number,
): Promise<void> {
  const { audit } = store.read;
  // Read first: mostly there is nothing to write, and then nobody waits for the lock.
  const above = Math.max(0, (await audit.lastChained()) - reach);
  if ((await audit.unchained({ above, upTo: MAX_REFERENCE, limit: 1 })).length === 0) return;
  while ((await execute('chain-audit-entries', { reach }, SYSTEM)) === CHAINED_AT_ONCE);
}

/** What is wrong with the trail, and where. */
export interface AuditFault {
  kind: 'entry_changed' | 'entry_missing' | 'entry_copied' | 'not_in_chain' | 'gap' | 'wrong_hash' | 'head';
  /** Place in the chain; null where it is not about one. */
  position: number | null;
  entryId: number | null;
  message: string;
}
export interface AuditReport {
  /** The end of the chain, to be noted elsewhere; null where there is none yet. */
  head: AuditHead | null;
  /** Places looked at. */
  checked: number;
  /** The first of them. */
  faults: AuditFault[];
}

const LINKS_AT_ONCE = 500;
const IDS_AT_ONCE = 5_000;
/** Faults told of: where all is wrong, nobody reads more. */
export const FAULTS_MAX = 100;
/** Milliseconds after which an entry ought to have its place. */
const LATE_MS = 60_000;

/** Looks the whole trail over. @param noted the head as it once was, which must be in the chain */
export async function verifyAudit(
  { store: { read }, clock }: Pick<Services, 'store' | 'clock'>,
  noted: AuditHead | null = null,
): Promise<AuditReport> {
  const report = await verifyChain(read.audit, 0, noted);
  const tell = teller(report);
  await findUnchained(read.audit, toDatetime(clock() - LATE_MS), tell);
  for (const id of await read.audit.copies(FAULTS_MAX))
    tell('entry_copied', null, id, `entry ${id} is a copy of another one`);
  return report;
}

/** What a chain is looked over by. */
type Chain = Pick<AuditReads, 'links' | 'linkHash' | 'last' | 'head'>;

/** Looks the end of the chain over. @param last places */
export async function verifyEnd(chain: Chain, last: number): Promise<AuditReport> {
  const end = await chain.last();
  return verifyChain(chain, Math.max(0, (end?.position ?? 0) - last), null);
}

type Tell = (
  kind: AuditFault['kind'],
  position: number | null,
  entryId: number | null,
  message: string,
) => void;

const teller =
  ({ faults }: AuditReport): Tell =>
  (kind, position, entryId, message) => {
    if (faults.length < FAULTS_MAX) faults.push({ kind, position, entryId, message });
  };

/** @param after the position behind which to begin */
async function verifyChain(audit: Chain, after: number, noted: AuditHead | null): Promise<AuditReport> {
  const report: AuditReport = { head: null, checked: 0, faults: [] };
  const tell = teller(report);
  const [before] = after === 0 ? [] : await audit.links(after - 1, 1);
  let previous: AuditHead = before ?? { position: 0, hash: '' };
  let isNoted = false;
  let head: KeptHead | null;
  let walked: number;
  // The chain may grow meanwhile: its head is good to compare with once nothing has come behind it.
  do {
    head = await audit.head();
    walked = 0;
    for (;;) {
      const links = await audit.links(previous.position, LINKS_AT_ONCE);
      if (links.length === 0) break;
      for (const link of links) {
        checkLink(audit, previous, link, tell);
        if (link.position === noted?.position) isNoted = link.hash === noted.hash;
        previous = link;
      }
      walked += links.length;
      await setImmediate();
    }
    report.checked += walked;
  } while (walked > 0);
  checkHead(previous, head, tell);
  if (noted && !isNoted)
    tell('head', noted.position, null, `the head ${headText(noted)} that was noted is not in the chain`);
  if (previous.position > 0) report.head = { position: previous.position, hash: previous.hash };
  return report;
}

function checkLink(audit: Chain, previous: AuditHead, link: AuditLink, tell: Tell): void {
  const { position, entryId, mac } = link;
  const next = previous.position + 1;
  if (position !== next) {
    const gone = position - 1 === next ? `position ${next} is` : `positions ${next} to ${position - 1} are`;
    tell('gap', next, null, `${gone} missing from the chain`);
  }
  if (mac === null) tell('entry_missing', position, entryId, `entry ${entryId} is missing`);
  else if (!link.isGenuine) tell('entry_changed', position, entryId, `entry ${entryId} was changed`);
  // Behind a gap, or without its entry, nobody can tell what the hash ought to be.
  else if (position === next && audit.linkHash(previous.hash, position, entryId, mac) !== link.hash)
    tell(
      'wrong_hash',
      position,
      entryId,
      `the hash at position ${position} does not follow from what is before it`,
    );
}

function checkHead(last: AuditHead, head: KeptHead | null, tell: Tell): void {
  const at = last.position;
  if (!head) {
    if (at > 0) tell('head', at, null, 'the record of where the chain ends is missing');
  } else if (!head.isGenuine) tell('head', at, null, 'the record of where the chain ends was changed');
  else if (head.position > at)
    tell(
      'head',
      head.position,
      null,
      `the chain ends at position ${at}, but went on to ${head.position}: its end was cut off`,
    );
  else if (head.position < at || head.hash !== last.hash)
    tell(
      'head',
      at,
      null,
      `the chain ends at position ${at}, which the record of its end (position ${head.position}) does not fit`,
    );
}

async function findUnchained(audit: AuditReads, before: Datetime, tell: Tell): Promise<void> {
  for (let upTo = MAX_REFERENCE; ; ) {
    // The next there is: between ids somebody may have left more room than anybody can look through.
    const newest = await audit.timeAt(upTo);
    if (!newest) return;
    const above = Math.max(0, newest.id - IDS_AT_ONCE);
    for (const { id, at } of await audit.unchained({ above, upTo: newest.id, limit: FAULTS_MAX }))
      if (at < before) tell('not_in_chain', null, id, `entry ${id} has no place in the chain`);
    upTo = above;
    await setImmediate();
  }
}
