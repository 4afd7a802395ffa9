import type { ForgottenActivations } from '../../domain/activation.ts';
import type { AuditEntry } from '../../domain/audit.ts';
import type { Datetime } from '../../domain/datetime.ts';
import { MAX_REFERENCE } from '../../domain/fields.ts';
import type { License } from '../../domain/licenses/license.ts';
import type { LicenseDownload } from '../../domain/releases/download.ts';
import type { ChangedAt, NamedActivation, Reads } from '../../store/store.ts';

/** An event in the history of a license. */
export type LicenseEvent = { at: Datetime } & (
  | { what: 'entry'; entry: AuditEntry }
  | ({ what: 'activated' } & NamedActivation)
  | ActivationChange
  | { what: 'download'; download: LicenseDownload }
  /** Last: a summary of the oldest deactivated activations, whose rows were deleted. */
  | { what: 'forgotten'; forgotten: ForgottenActivations }
  /** Only if no audit entry records the creation: imports and generated batches have one entry for all licenses. */
  | { what: 'created'; license: License }
);
type ActivationChange = { what: 'deactivated' | 'reactivated' } & NamedActivation;

/** The cursor of a page: the last event of each kind before the page; null for none. */
export interface HistoryPlace {
  entry: number | null;
  activation: number | null;
  change: ChangedAt | null;
  download: number | null;
}
export const NEWEST: HistoryPlace = { entry: null, activation: null, change: null, download: null };

/** Rows read beyond a page, to drop changes of activations that an audit entry of the same second records. */
const AHEAD = 50;

/**
 * Returns the history of a license, newest first: its audit entries, the activations and changes that programs made, and its
 * downloads. An index provides each kind in order. Deleted records are not included. `next` is null on the last page.
 */
export async function licenseHistory(
  { audit, activations, downloads, licenses }: Reads,
  licenseId: number,
  from: HistoryPlace,
  limit: number,
): Promise<{ events: LicenseEvent[]; next: HistoryPlace | null }> {
  const place = { ...from };
  const subject = { type: 'license', id: licenseId } as const;
  const filter = { action: null, subject, apiKeyId: null, userId: null, from: null, to: null };
  const upTo = (from.entry ?? MAX_REFERENCE + 1) - 1;
  const wanted = limit + 1;
  const [entries, created, changed, downloaded] = await Promise.all([
    audit.list(filter, { above: 0, upTo, limit: wanted + AHEAD }),
    activations.search({ licenseId }, { before: from.activation, limit: wanted + AHEAD, counted: false }),
    activations.changed(licenseId, from.change, wanted + AHEAD),
    downloads.ofLicense(licenseId, from.download ?? MAX_REFERENCE, wanted),
  ]);
  // Within a second, events of an earlier queue come first.
  const queues: Queued[][] = [
    downloaded.map((download) => ({
      event: { what: 'download', at: download.at, download },
      place: { download: download.id },
    })),
    changed.map((one) => {
      const { id, createdAt, updatedAt, deactivatedAt } = one.activation;
      const at = updatedAt ?? createdAt;
      const what = deactivatedAt === null ? 'reactivated' : 'deactivated';
      return { event: { what, at, ...one }, place: { change: { at, id } } };
    }),
    created.items.map(({ activation, softwareName }) => ({
      event: { what: 'activated', at: activation.createdAt, activation, softwareName },
      place: { activation: activation.id },
    })),
    entries.map((entry) => ({ event: { what: 'entry', at: entry.at, entry }, place: { entry: entry.id } })),
  ];
  const lastEntry = entries.at(-1);

  const events: LicenseEvent[] = [];
  for (;;) {
    const [first, ...others] = queues.filter((queue) => queue.length > 0) as [Queued, ...Queued[]][];
    if (!first) break;
    const newest = others.reduce((last, one) => (one[0].event.at > last[0].event.at ? one : last), first);
    const { event, place: next } = newest[0];
    // The audit entry of this change is still in `entries`, because entries come after changes of the same second.
    const isOfActivation = 'activation' in event;
    const isRecorded = isOfActivation && isInTrail(entries, event);
    if (!isRecorded && events.length === limit) return { events, next: place };
    if (!isRecorded) events.push(event);
    newest.shift();
    Object.assign(place, next);
  }
  const last = lastEntry ?? (from.entry === null ? null : await audit.find(from.entry));
  const license = last?.action === 'license.create' ? null : await licenses.find({ id: licenseId });
  const forgotten = await activations.forgotten(licenseId);
  const end: LicenseEvent[] = [];
  if (forgotten) end.push({ what: 'forgotten', at: forgotten.lastAt, forgotten });
  if (license) end.push({ what: 'created', at: license.createdAt, license });
  // Put both final events on one page: the cursor has no place between them.
  if (events.length > 0 && events.length + end.length > limit) return { events, next: place };
  return { events: [...events, ...end], next: null };
}

/** An event, and the cursor after it. */
interface Queued {
  event: LicenseEvent;
  place: Partial<HistoryPlace>;
}

/** Whether an entry about an activation in the second of an event records that event. */
function isInTrail(
  entries: readonly AuditEntry[],
  { what, at, activation }: { what: string; at: Datetime } & NamedActivation,
): boolean {
  const actions: Record<string, string> = {
    'activation.add': 'activated',
    'activation.deactivate': 'deactivated',
    'activation.reactivate': 'reactivated',
  };
  const some = entries.filter(
    (one) => one.at === at && one.action in actions && one.details.about?.activation_id === activation.id,
  );
  // After several changes in one second, the activation's row shows the last change.
  const last = some.find(({ action }) => action !== 'activation.add');
  return what === 'activated'
    ? some.some(({ action }) => action === 'activation.add')
    : last !== undefined && actions[last.action] === what;
}
