import { type Actor, SYSTEM } from '../../domain/actor.ts';
import {
  type Committed,
  MOVING_KINDS,
  type MoveFault,
  type MoveReads,
  type MovingKind,
} from '../../store/store.ts';
import type { Note, Shop, ShopRecord } from '../../wordpress/shop.ts';
import { discardAll } from '../discarding.ts';
import type { Services } from '../execute.ts';
import { convertAllRows } from '../licenses/convert-rows.ts';
import { addressRecord, movingRecord } from './moving-records.ts';

/** Records of one transaction: about 15 ms of work. */
const RECORDS_AT_ONCE = 500;

export interface MoveInOptions {
  /** Changes nothing, but reports what would be done. */
  dryRun: boolean;
  /** Also deletes moved records that the shop has deleted since. */
  deleteGone: boolean;
  /** Moves even if no hash in the shop matches its secret. */
  withoutHashes: boolean;
  signal: AbortSignal;
  /** @param part fraction of the shop that was read, 0 to 1 @param records number of records read */
  onProgress(part: number, records: number): void;
}

/** What happened to the records of one kind. */
export interface MoveCounts {
  read: number;
  /** Records that have not changed in the shop since the last move. */
  unchanged: number;
  created: number;
  updated: number;
  /** Rows of the shop that could not be moved, or that another record already stands for. */
  notMoved: number;
  /** Moved records that the shop has deleted since. */
  gone: number;
  /** Records counted in `gone` that were deleted here, too. */
  deleted: number;
}

/** A problem with a record of the shop, and how the move handled it. */
export type MoveNote = { kind: MovingKind; id: number } & (
  | Note
  | { code: MoveFault['code']; recordId: number | null }
);

export interface MoveInReport {
  counts: Record<MovingKind, MoveCounts>;
  notes: MoveNote[];
  /** Number of rows in the shop's other tables, which are not moved, by table. */
  left: Record<string, number>;
}

/** The move was refused, and nothing was moved. The message tells the user why. */
export class MoveRefused extends Error {
  override name = 'MoveRefused';
  readonly code:
    | 'hash_key_in_use'
    | 'migrations_pending'
    | 'moved_beside'
    | 'shop_empty'
    | 'table_missing'
    | 'wrong_secrets';
  constructor(code: MoveRefused['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** What a move knows of the records of one kind. */
const newKind = () => ({
  counts: { read: 0, unchanged: 0, created: 0, updated: 0, notMoved: 0, gone: 0, deleted: 0 } as MoveCounts,
  /** Ids of the rows read, and of those that cannot be moved. */
  seen: new Set<number>(),
  unmovable: new Set<number>(),
  /** Records to stage with the next ones. */
  waiting: [] as ShopRecord[],
});
type Kind = ReturnType<typeof newKind>;

/**
 * Moves in all records of a shop, or, after an earlier move, those that have changed since: all or none. After an
 * interrupted move, the next one resumes. A dry run with wrong secrets reports each license instead of being refused.
 * @throws MoveRefused
 */
export async function moveIn(
  services: Services,
  shop: Shop,
  { dryRun, deleteGone, withoutHashes, signal, onProgress }: MoveInOptions,
  actor: Actor,
): Promise<MoveInReport> {
  const { execute } = services;
  await convertAllRows(execute);
  const kinds = Object.fromEntries(MOVING_KINDS.map((kind) => [kind, newKind()])) as Record<MovingKind, Kind>;
  const notes: MoveNote[] = [];
  let staged = 0;

  async function flush(kind: MovingKind): Promise<void> {
    const { waiting, counts } = kinds[kind];
    const records = waiting.splice(0);
    if (records.length === 0) return;
    const changed = await stageChanged(services, shop, kind, records);
    staged += changed.length;
    counts.unchanged += records.length - changed.length;
    notes.push(...changed.flatMap(notesOf));
  }

  let read = 0;
  let part = 0;
  for await (const record of shop.records(signal, (now) => {
    part = now;
  })) {
    signal.throwIfAborted();
    const { kind, id } = record;
    const { counts, seen, unmovable, waiting } = kinds[kind];
    counts.read++;
    if (seen.has(id)) {
      counts.notMoved++;
      notes.push({ kind, id, code: 'id_twice', column: null, value: null });
      continue;
    }
    seen.add(id);
    if (record.record === null) {
      unmovable.add(id);
      counts.notMoved++;
      notes.push(...notesOf(record));
    } else if (waiting.push(record) === RECORDS_AT_ONCE) await flush(kind);
    if (++read % RECORDS_AT_ONCE === 0) onProgress(part, read);
  }
  for (const kind of MOVING_KINDS) await flush(kind);
  onProgress(1, read);

  const gone = {} as Record<MovingKind, number[]>;
  for (const kind of MOVING_KINDS) {
    const { counts, seen, unmovable } = kinds[kind];
    const missing: number[] = [];
    for await (const ids of idsWithout(services, 'moved', shop.id, kind, seen)) missing.push(...ids);
    // A dump may lack a table, so only tables that were read can show deletions. Records without a row have negative ids.
    gone[kind] = missing.filter((id) => shop.kinds.has(kind) || id < 0);
    counts.gone = gone[kind].length;
    // Placeholders would take the seats of these activations a second time.
    if (kind === 'activation' && !shop.kinds.has(kind) && missing.some((id) => id > 0))
      throw new MoveRefused(
        'table_missing',
        'An earlier move has read the activations of this shop, and now their table (…lmfwc_activations) is missing. Nothing was moved. Dump that table, too.',
      );
    // An interrupted move staged a row that cannot be moved any more.
    for (const id of unmovable) seen.delete(id);
    for await (const ids of idsWithout(services, 'staged', shop.id, kind, seen))
      await execute('unstage-records', { shop: shop.id, kind, ids }, SYSTEM);
  }
  if (deleteGone && gone.license.length > 0 && kinds.license.counts.read === 0)
    throw new MoveRefused(
      'shop_empty',
      'The shop has no license any more, and --delete-gone would delete all of them here. Nothing was moved.',
    );
  signal.throwIfAborted();
  const discard = () => discardAll(() => execute('discard-staged-records', { shop: shop.id }, SYSTEM));
  const wrong = dryRun ? null : wrongSecret(kinds.license.counts, notes, withoutHashes);
  if (wrong !== null) {
    await discard();
    throw new MoveRefused('wrong_secrets', wrong);
  }
  const input = {
    shop: shop.id,
    plugin: shop.plugin,
    staged,
    dryRun,
    gone: deleteGone ? gone : NOTHING_GONE,
  };
  const { committed } = await execute('commit-move', input, actor);
  if (committed === null)
    throw new MoveRefused(
      'moved_beside',
      'Something else has changed what this move had staged: another move of the shop, or a rotation of the master key. Nothing was moved; run it again when that is done.',
    );
  if (dryRun) await discard();
  return {
    counts: withCommitted(kinds, committed),
    notes: [...notes, ...notesOfCommit(committed)],
    left: Object.fromEntries(shop.left()),
  };
}

/** Returns a message about the secret that matches none of the licenses read; null if both match some. */
function wrongSecret(
  { read, notMoved }: MoveCounts,
  notes: readonly MoveNote[],
  withoutHashes: boolean,
): string | null {
  const count = (code: MoveNote['code']) =>
    notes.filter((note) => note.kind === 'license' && note.code === code).length;
  const opened = read - notMoved;
  if (opened === 0 && count('not_decrypted') > 0)
    return 'No license key of this shop can be decrypted: defuse.txt is that of another shop, or was replaced. Nothing was moved.';
  if (opened > 0 && count('hash_differs') >= opened && !withoutHashes)
    return 'No license key of this shop has the hash that secret.txt gives: secret.txt is that of another shop, or was changed (a line end counts). Nothing was moved. Give the right file, or --without-hashes if no program uses hashed-… addresses.';
  return null;
}

const NONE = new Uint8Array(0);
const NOTHING_GONE = Object.fromEntries(MOVING_KINDS.map((kind) => [kind, []])) as unknown as Record<
  MovingKind,
  []
>;

/**
 * Stages the records, all of one kind, that have changed since they were moved, and returns the changed ones. For an
 * unchanged license it stages only the email address, if the shop has one and the license here has none.
 */
async function stageChanged(
  { execute, store }: Services,
  { id: shop }: Shop,
  kind: MovingKind,
  records: readonly ShopRecord[],
): Promise<ShopRecord[]> {
  const ids = records.map(({ id }) => id);
  const { moved, staged } = await store.read.moves.digests(shop, kind, ids);
  const isIn = (known: ReadonlyMap<number, Uint8Array>, { id, digest }: Pick<ShopRecord, 'id' | 'digest'>) =>
    Buffer.compare(known.get(id) ?? NONE, digest) === 0;
  const isMoved = ({ id, digest, formerDigest = digest }: ShopRecord) =>
    isIn(moved, { id, digest }) || isIn(moved, { id, digest: formerDigest });
  const changed = records.filter((record) => !isMoved(record));
  const addressed = await addressedOf(store.read.moves, shop, records.filter(isMoved));
  const moving = changed.map((record) => movingRecord(record, moved.has(record.id)));
  const fresh = [...moving, ...addressed.map(addressRecord)].filter(
    ({ sourceId: id, digest }) => !isIn(staged, { id, digest }),
  );
  if (fresh.length > 0) await execute('stage-records', { shop, records: fresh }, SYSTEM);
  // An interrupted move staged a change that the shop has reverted since.
  const isStale = (record: ShopRecord) =>
    staged.has(record.id) && isMoved(record) && !addressed.includes(record);
  const stale = records.filter(isStale).map(({ id }) => id);
  if (stale.length > 0) await execute('unstage-records', { shop, kind, ids: stale }, SYSTEM);
  return [...changed, ...addressed.map((record) => ({ ...record, notes: [] }))];
}

/** Returns the records with an email address that the license moved earlier still lacks. */
async function addressedOf(
  moves: MoveReads,
  shop: string,
  records: readonly ShopRecord[],
): Promise<ShopRecord[]> {
  const known = records.filter((one) => one.kind === 'license' && one.record?.customerEmail);
  if (known.length === 0) return [];
  const without = await moves.withoutEmail(
    shop,
    known.map(({ id }) => id),
  );
  return known.filter(({ id }) => without.has(id));
}

/** Yields, in chunks, the shop's ids of moved or staged records that this move did not read. */
async function* idsWithout(
  { store }: Pick<Services, 'store'>,
  which: 'moved' | 'staged',
  shop: string,
  kind: MovingKind,
  seen: ReadonlySet<number>,
): AsyncGenerator<number[]> {
  // Records without a row in the shop have negative ids.
  let after: number | undefined = Number.MIN_SAFE_INTEGER;
  while (after !== undefined) {
    const ids = await store.read.moves.ids(which, shop, kind, after, RECORDS_AT_ONCE);
    const unseen = ids.filter((id) => !seen.has(id));
    if (unseen.length > 0) yield unseen;
    after = ids.at(-1);
  }
}

function withCommitted(
  kinds: Record<MovingKind, Kind>,
  { totals, faults }: Committed,
): MoveInReport['counts'] {
  const counts = MOVING_KINDS.map((kind) => {
    const refused = faults.filter((one) => one.kind === kind && one.code !== 'new_id').length;
    const { counts } = kinds[kind];
    return [kind, { ...counts, ...totals[kind], notMoved: counts.notMoved + refused }];
  });
  return Object.fromEntries(counts);
}

const notesOf = ({ kind, id, notes }: ShopRecord): MoveNote[] => notes.map((note) => ({ kind, id, ...note }));

const notesOfCommit = ({ faults }: Committed): MoveNote[] =>
  faults.map(({ kind, sourceId, code, recordId }) => ({ kind, id: sourceId, code, recordId }));
