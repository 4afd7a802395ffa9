import { setTimeout } from 'node:timers/promises';
import type { Actor } from '../../domain/actor.ts';
import type { NewRotation, Resealed, Rotation } from '../../store/store.ts';
import { YIELD_MS } from '../discarding.ts';
import type { Execute, Services } from '../execute.ts';

/** Why a rotation does not begin, or go on, in a sentence for the person who asked for it. */
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
 * Milliseconds that a step waits until every process has heard of the one before: some times what they let pass between
 * two looks. Who sleeps longer looks when it meets a key that it does not know.
 */
export const SETTLE_MS = 4_000;
/** After so many passes through all licenses somebody still writes under the old key. */
const PASSES_MAX = 10;

export interface Rotating {
  /** SETTLE_MS, but for tests. */
  settle: number;
  signal: AbortSignal;
  /** @param seen rows so far, of so many in this pass */
  onProgress(seen: number, total: number): void;
}

export interface RotationReport {
  from: string;
  to: string;
  /** Keys that were sealed anew, staged ones too, by this run. */
  resealed: number;
  /** Whether an earlier run had begun it. */
  resumed: boolean;
}

/**
 * Puts a new master key in the place of the old one while others work. Each step is written down in the database, so that
 * what is ended in between goes on when it is run again.
 * @param begin what a rotation begins with; null where one is to go on
 * @throws RotationRefused
 */
export async function rotateMasterKey(
  { store, execute }: Pick<Services, 'store' | 'execute'>,
  begin: NewRotation | null,
  { settle, signal, onProgress }: Rotating,
  actor: Actor,
): Promise<RotationReport> {
  const begun = begin !== null && (await execute('begin-master-key-rotation', begin, actor));
  const { rotation } = await store.read.masterKey.state();
  if (rotation === null || (begin && begin.to !== rotation.to)) throw changedMeanwhile();
  const { from, to, keyId } = rotation;
  if (rotation.step === 'announced') {
    await setTimeout(settle, undefined, { signal });
    if (!(await execute('switch-master-key', { to }, actor))) throw changedMeanwhile();
  }
  await setTimeout(settle, undefined, { signal });

  const filter = { limit: 1, offset: 0, before: null };
  const { total } = await store.read.licenses.list({}, filter);
  let resealed = 0;
  for (let pass = 1; ; pass++) {
    let seen = 0;
    const others = await resealAll(execute, keyId, actor, (rows) => {
      signal.throwIfAborted();
      seen += rows;
      onProgress(seen, Math.max(total, seen));
    });
    resealed += others;
    if (others === 0) break;
    if (pass === PASSES_MAX) throw stillInUse();
  }
  if (!(await execute('finish-master-key-rotation', { to }, actor))) {
    // Another run may have come before this one.
    const { fingerprint } = await store.read.masterKey.state();
    if (fingerprint !== to) throw changedMeanwhile();
  }
  return { from, to, resealed, resumed: !begun };
}

/**
 * Seals everything anew that does not rest under a key, in short transactions between which others get their turn.
 * @returns how many keys that were
 */
export async function resealAll(
  execute: Execute,
  keyId: Rotation['keyId'],
  actor: Actor,
  onRows: (rows: number) => void = () => {},
): Promise<number> {
  const through = async <Place>(first: Place, some: (after: Place) => Promise<Resealed<Place>>) => {
    let resealed = 0;
    for (let after: Place | null = first; ; await setTimeout(YIELD_MS)) {
      const done: Resealed<Place> = await some(after);
      resealed += done.resealed;
      onRows(done.seen);
      if (done.next === null) return resealed;
      after = done.next;
    }
  };
  // Staged first: what is committed meanwhile is then met among the licenses.
  const staged = await through(null as { batch: string; row: number } | null, (after) =>
    execute('reseal-staged-licenses', { keyId, after }, actor),
  );
  return staged + (await through(0, (after) => execute('reseal-licenses', { keyId, after }, actor)));
}

const changedMeanwhile = () =>
  new RotationRefused(
    'rotation_under_way',
    'Another rotation of the master key has come in between: see "latchkey master-key status".',
  );

const stillInUse = () =>
  new RotationRefused(
    'old_key_in_use',
    'A process goes on writing under the old key: end programs of earlier versions, then run this again.',
  );
