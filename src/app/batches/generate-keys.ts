import { setImmediate } from 'node:timers/promises';
import type { Actor } from '../../domain/actor.ts';
import { toDatetime } from '../../domain/datetime.ts';
import type { GenerateInput, Generator, KeyTemplate } from '../../domain/generator.ts';
import {
  expiry,
  INACTIVE,
  type License,
  type LicenseSource,
  licenseKey,
} from '../../domain/licenses/license.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { termsIn } from '../../domain/terms.ts';
import type { Reads, RepeatableRequest } from '../../store/store.ts';
import type { Services } from '../execute.ts';
import { findGenerator } from '../generators/generators.ts';
import { candidateKeys, isExact } from './candidate-keys.ts';
import { BATCH_CHUNK, beginLicenseBatch, type LicenseBatch } from './license-batch.ts';
import type { Committed } from './staged-licenses.ts';

export interface GenerateKeys {
  /** The id of the generator as sent. */
  named: string;
  input: GenerateInput;
  /** The source of saved licenses. */
  source: LicenseSource;
  /** Set if the client may repeat the request; null otherwise. */
  request?: RepeatableRequest | null;
  /** Receives the number of keys after each chunk. */
  onProgress?: (made: number) => void;
}

/** Candidates checked between two yields to the event loop: a few milliseconds of work. */
const CHECKED_AT_ONCE = 500;
/** Maximum number of keys that all running calls may hold in memory together. Further calls are refused. */
const RUNNING_MAX = 200_000;
let runningKeys = 0;
/**
 * Attempts to save while other callers take keys between staging and commit. Each failed attempt means that another caller
 * succeeded, so a call seldom needs more attempts than there are concurrent callers.
 */
const TRIES = 100;

/**
 * Generates keys that are distinct from each other and from the keys of all licenses, and returns them. With `save`, stores
 * them as licenses, all or none.
 */
export async function generateKeys(
  services: Services,
  request: GenerateKeys,
  actor: Actor,
): Promise<Outcome<string[]>> {
  const { amount } = request.input;
  if (runningKeys > 0 && runningKeys + amount > RUNNING_MAX) return refused('too_many_keys_at_once');
  runningKeys += amount;
  try {
    return await generate(services, request, actor);
  } finally {
    runningKeys -= amount;
  }
}

async function generate(services: Services, request: GenerateKeys, actor: Actor): Promise<Outcome<string[]>> {
  const { read } = services.store;
  const found = await findGenerator(read, request.named, actor);
  if (!found.ok) return found;
  if (!request.input.save) {
    return draw(read, found.value, request, (keys) => read.licenses.existing(keys));
  }

  for (let tries = 1; ; tries++) {
    const batch = beginLicenseBatch(read, services.execute, actor);
    try {
      const saved = await save(services, found.value, request, batch, actor.userId);
      if (saved.ok || saved.refusal.code !== 'staged_keys_exist' || tries === TRIES) return saved;
    } finally {
      await batch.discard();
    }
  }
}

async function save(
  { store, clock }: Services,
  generator: Generator,
  request: GenerateKeys,
  batch: LicenseBatch,
  createdBy: number,
): Promise<Outcome<string[]>> {
  const { orderId, productId, userId, customerEmail, status } = request.input;
  const expiresAt = expiry(null, generator.expiresIn, toDatetime(clock()), 'expiresIn');
  if (!expiresAt.ok) return expiresAt;
  const { activationsLimit, expiresIn: validFor } = generator;
  const common = {
    orderId,
    productId,
    userId,
    customerEmail: customerEmail ?? null,
    activationsLimit,
    ...termsIn(generator),
    validFor,
    expiresAt: expiresAt.value,
    status: status ?? INACTIVE,
  };

  let row = 0;
  const drawn = await draw(store.read, generator, request, async (keys) => {
    const first = row;
    row += keys.length;
    const taken = await batch.add(keys.map((key, i) => ({ ...common, key, row: first + i })));
    return new Set(taken.map((at) => keys[at - first] as string));
  });
  if (!drawn.ok) return drawn;
  const { source } = request;
  const options = { source, generatorId: generator.id, skipConflicts: false };
  const committed = await batch.commit(options, request.request);
  if (!committed.ok) return committed;
  return committed.value.isEarlier
    ? done(await keysOf(store.read, { ...committed.value, source, createdBy }))
    : drawn;
}

/** Returns the keys of the licenses that an earlier request created, in order, without licenses deleted since. */
async function keysOf(
  { licenses }: Reads,
  of: Committed & Pick<License, 'source' | 'createdBy'>,
): Promise<string[]> {
  const keys: string[] = [];
  let before: number | null = of.upTo + 1;
  while (before !== null && keys.length < of.created) {
    const page = await licenses.list(
      { source: of.source },
      { limit: BATCH_CHUNK, before, offset: 0, latest: true },
    );
    for (const { key, createdAt, createdBy } of page.items)
      if (createdAt === of.createdAt && createdBy === of.createdBy) keys.push(key);
    const last = page.items.at(-1);
    before = page.more && last && last.createdAt >= of.createdAt ? last.id : null;
  }
  // The last page may also have keys of another request in the same second.
  return keys.slice(0, of.created).reverse();
}

/** Draws the keys in chunks. @param claim stages or looks up some keys, and returns the ones that are taken */
async function draw(
  { licenses }: Reads,
  template: KeyTemplate,
  { input: { amount }, onProgress }: GenerateKeys,
  claim: (keys: string[]) => Promise<Set<string>>,
): Promise<Outcome<string[]>> {
  const candidates = candidateKeys(template, amount);
  const keys = new Set<string>();
  const free = new Set<string>();
  while (keys.size < amount) {
    const wanted = Math.min(BATCH_CHUNK, amount - keys.size);
    for (let ended = false; free.size < wanted && !ended; await setImmediate()) {
      const drawn = next(candidates);
      ended = drawn.length === 0;
      // Most keys of a small template may be taken. Looking them up is cheaper than staging taken keys.
      const taken = isExact(template) ? await licenses.existing(drawn) : keys;
      for (const key of drawn)
        if (!taken.has(key) && !keys.has(key) && licenseKey.read(key).ok) free.add(key);
    }
    if (free.size === 0) {
      const available = isExact(template) ? keys.size : null;
      return refused('keys_exhausted', { amount, available });
    }
    const claimed = [...free].slice(0, wanted);
    for (const key of claimed) free.delete(key);
    const taken = await claim(claimed);
    for (const key of claimed) if (!taken.has(key)) keys.add(key);
    onProgress?.(keys.size);
  }
  return done([...keys]);
}

/** Returns the next CHECKED_AT_ONCE candidates; fewer or none at the end. */
function next(candidates: Iterator<string>): string[] {
  const keys: string[] = [];
  while (keys.length < CHECKED_AT_ONCE) {
    const { value, done: ended } = candidates.next();
    if (ended) break;
    keys.push(value);
  }
  return keys;
}
