import type { Activation } from '../../domain/activation.ts';
import type { AuditEntry } from '../../domain/audit.ts';
import type { Datetime } from '../../domain/datetime.ts';
import type { LicenseDownload } from '../../domain/download.ts';
import { MAX_REFERENCE } from '../../domain/fields.ts';
import type { License } from '../../domain/license.ts';
import type { ChangedAt, NamedActivation, Reads } from '../../store/store.ts';

/** Something that has happened to a license. */
export type LicenseEvent = { at: Datetime } & (
  | { what: 'entry'; entry: AuditEntry }
  | ({ what: 'activated' } & NamedActivation)
  | ({ what: 'deactivated' | 'reactivated' } & NamedActivation)
  | { what: 'download'; download: LicenseDownload }
  /** Of one that no entry tells of, as of those that were made many at once. */
  | { what: 'created'; license: License }
);

/** Where a page of a history begins: behind these of each kind, null where nothing of it has been told yet. */
export interface HistoryPlace {
  entry: number | null;
  activation: number | null;
  change: ChangedAt | null;
  download: number | null;
}
export const NEWEST: HistoryPlace = { entry: null, activation: null, change: null, download: null };

export interface HistoryPage {
  events: LicenseEvent[];
  /** Null at the end. */
  next: HistoryPlace | null;
}

/**
 * Entries beyond a page that are looked at for the change of an activation, and changes that may be passed over because an
 * entry tells of them: as many as one second may have.
 */
const AHEAD = 50;

/**
 * What has happened to a license, newest first: the entries of the audit trail, what programs did with its activations, and
 * its downloads, each read by an index that has them in order. What has gone since tells nothing of itself.
 */
export async function licenseHistory(
  { audit, activations, downloads, licenses }: Reads,
  licenseId: number,
  from: HistoryPlace,
  limit: number,
): Promise<HistoryPage> {
  const place = { ...from };
  const aboutIt = { type: 'license', id: licenseId } as const;
  const filter = { action: null, subject: aboutIt, apiKeyId: null, userId: null, from: null, to: null };
  const upTo = (from.entry ?? MAX_REFERENCE + 1) - 1;
  const wanted = limit + 1;
  const [entries, made, changed, loaded] = await Promise.all([
    audit.list(filter, { above: 0, upTo, limit: wanted + AHEAD }),
    activations.search({ licenseId }, { before: from.activation, limit: wanted, counted: false }),
    activations.changed(licenseId, from.change, wanted + AHEAD),
    downloads.ofLicense(licenseId, from.download ?? MAX_REFERENCE, wanted),
  ]);
  const oldest = entries.at(-1);
  // Of events of one second, the first queue's is told first.
  const queues: Queued[][] = [
    loaded.map((one) => ({ event: downloaded(one), place: { download: one.id } })),
    changed.map((one) => ({ event: changeOf(one), place: { change: changeAt(one) } })),
    made.items.map((one) => ({ event: activated(one), place: { activation: one.activation.id } })),
    entries.map((one) => ({ event: told(one), place: { entry: one.id } })),
  ];

  const events: LicenseEvent[] = [];
  for (;;) {
    const [first, ...others] = queues.filter((queue) => queue.length > 0) as [Queued, ...Queued[]][];
    if (!first) break;
    const newest = others.reduce((last, one) => (one[0].event.at > last[0].event.at ? one : last), first);
    const { event, place: next } = newest[0];
    // An entry comes after a change of the same second, so that the one that tells of it, by whom, is still ahead.
    const isChange = event.what === 'deactivated' || event.what === 'reactivated';
    const isTold = isChange && tells(entries, event);
    if (!isTold && events.length === limit) return { events, next: place };
    if (!isTold) events.push(event);
    newest.shift();
    Object.assign(place, next);
  }
  const last = oldest ?? (from.entry === null ? null : await audit.find(from.entry));
  const license = last?.action === 'license.create' ? null : await licenses.find({ id: licenseId });
  if (license && events.length === limit) return { events, next: place };
  if (license) events.push({ what: 'created', at: license.createdAt, license });
  return { events, next: null };
}

/** An event of one kind, and where a page behind it begins. */
interface Queued {
  event: LicenseEvent;
  place: Partial<HistoryPlace>;
}

const told = (entry: AuditEntry): LicenseEvent => ({ what: 'entry', at: entry.at, entry });
const downloaded = (download: LicenseDownload): LicenseEvent => ({
  what: 'download',
  at: download.at,
  download,
});
const activated = ({ activation, softwareName }: NamedActivation): LicenseEvent => ({
  ...{ what: 'activated', at: activation.createdAt },
  ...{ activation, softwareName },
});
const changeAt = ({ activation }: NamedActivation): ChangedAt => ({
  at: activation.updatedAt ?? activation.createdAt,
  id: activation.id,
});
const changeOf = (change: NamedActivation): LicenseEvent => ({
  what: change.activation.deactivatedAt === null ? 'reactivated' : 'deactivated',
  at: changeAt(change).at,
  activation: change.activation,
  softwareName: change.softwareName,
});

/** Whether the last of these entries that is of an activation at a time tells how it was left then. */
function tells(
  entries: readonly AuditEntry[],
  { what, at, activation }: { what: 'deactivated' | 'reactivated'; at: Datetime; activation: Activation },
): boolean {
  const entry = entries.find(
    (one) =>
      one.at === at &&
      (one.action === DEACTIVATED || one.action === REACTIVATED) &&
      one.details.about?.activation_id === activation.id,
  );
  return entry?.action === (what === 'deactivated' ? DEACTIVATED : REACTIVATED);
}
const DEACTIVATED = 'activation.deactivate';
const REACTIVATED = 'activation.reactivate';
