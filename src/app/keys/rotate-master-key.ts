import { setTimeout } from 'node:timers/promises';
import { type Actor, SYSTEM } from '../../domain/actor.ts';
import type { NewRotation, Resealed, Rotation, SealedTable, StagedPlace } from '../../store/store.ts';
import { discardAll, YIELD_MS } from '../discarding.ts';
import type { Execute, Services } from '../execute.ts';

/** The rotation cannot begin or continue. The message tells the user why. */
export class RotationRefused extends Error {
  override name = 'RotationRefused';
  readonly code:
    | 'next_master_key_missing'
    | 'next_master_key_unfit'
    | 'rotation_under_way'
    | 'old_key_in_use';
  constructor(code: RotationRefused['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Milliseconds between two steps, so that every process notices the first step: several times the polling interval. A
 * process that was suspended meanwhile reloads the keys when it meets an unknown one.
 */
export const SETTLE_MS = 4_000;
/** Maximum number of passes over all licenses. If the last finds old seals, some process still writes with the old key. */
const PASSES_MAX = 10;

export interface Rotating {
  /** SETTLE_MS, except in tests. */
  settle: number;
  signal: AbortSignal;
  /** @param seen rows processed in this pass so far */
  onProgress(seen: number): void;
}

/**
 * Replaces the master key while the service runs. The database stores each step, so that an interrupted rotation can
 * continue.
 * @param begin null to continue a rotation
 * @returns how many license keys and tokens this run has sealed again, including staged ones
 * @throws RotationRefused
 */
export async function rotateMasterKey(
  { store, execute }: Pick<Services, 'store' | 'execute'>,
  begin: NewRotation | null,
  { settle, signal, onProgress }: Rotating,
  actor: Actor,
): Promise<number> {
  if (begin) await execute('begin-master-key-rotation', begin, actor);
  const { rotation } = await store.read.masterKey.state();
  if (rotation === null || (begin && begin.to !== rotation.to)) throw changedMeanwhile();
  const { to, keyId } = rotation;
  if (rotation.step === 'announced') {
    await setTimeout(settle, undefined, { signal });
    if (!(await execute('switch-master-key', { to }, actor))) throw changedMeanwhile();
  }
  await setTimeout(settle, undefined, { signal });

  let resealed = 0;
  for (let pass = 1; ; pass++) {
    let seen = 0;
    const sealed = await resealAll(execute, keyId, (rows) => {
      signal.throwIfAborted();
      seen += rows;
      onProgress(seen);
    });
    resealed += sealed;
    if (sealed === 0) break;
    if (pass === PASSES_MAX) {
      const message =
        'A process still writes with the old key: stop programs of earlier versions, then run this again.';
      throw new RotationRefused('old_key_in_use', message);
    }
  }
  if (!(await execute('finish-master-key-rotation', { to }, actor))) {
    // Another run may have finished it.
    const { fingerprint } = await store.read.masterKey.state();
    if (fingerprint !== to) throw changedMeanwhile();
  }
  return resealed;
}

/**
 * Seals all license keys and activation tokens, and other secrets, with a key, in short transactions.
 * @returns how many keys and tokens were sealed with another key before
 */
export async function resealAll(
  execute: Execute,
  keyId: Rotation['keyId'],
  onRows: (rows: number) => void = () => {},
): Promise<number> {
  const resealRows = async <Place>(first: Place, some: (after: Place) => Promise<Resealed<Place>>) => {
    let resealed = 0;
    for (let after: Place | null = first; ; await setTimeout(YIELD_MS)) {
      const done: Resealed<Place> = await some(after);
      resealed += done.resealed;
      onRows(done.seen);
      if (done.next === null) return resealed;
      after = done.next;
    }
  };
  // Discard staged records of a move: an interrupted move stages them again.
  await discardAll(() => execute('discard-staged-records', 'all', SYSTEM));
  const resealTable = (table: SealedTable) =>
    resealRows(0, (after) => execute('reseal-records', { table, keyId, after }, SYSTEM));
  const trashed = async () =>
    (await resealTable('trashed_licenses')) + (await resealTable('trashed_activations'));
  // Reseal the trash before and after the licenses: licenses may be restored or deleted meanwhile.
  const before = await trashed();
  // Reseal staged licenses first: the pass over licenses then covers licenses committed meanwhile.
  const staged = await resealRows(null as StagedPlace, (after) =>
    execute('reseal-staged-licenses', { keyId, after }, SYSTEM),
  );
  const live = (await resealTable('licenses')) + (await resealTable('activations'));
  await execute('reseal-secrets', { keyId }, SYSTEM);
  return staged + before + live + (await trashed());
}

const changedMeanwhile = () =>
  new RotationRefused(
    'rotation_under_way',
    'Another rotation of the master key is in progress: see "latchkey master-key status".',
  );
