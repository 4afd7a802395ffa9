import { setImmediate } from 'node:timers/promises';
import type { Actor } from '../domain/actor.ts';
import { toDatetime } from '../domain/datetime.ts';
import {
  characters,
  compose,
  type GenerateInput,
  type Generator,
  type KeyTemplate,
  keyAt,
  keySpace,
} from '../domain/generator.ts';
import { expiry, INACTIVE, type LicenseSource, licenseKey } from '../domain/license.ts';
import { done, type Outcome, refused } from '../domain/refusal.ts';
import type { Store } from '../store/store.ts';
import type { Clock, Execute } from './execute.ts';
import { findGenerator, type GeneratorRef } from './generators.ts';
import { BATCH_CHUNK, beginLicenseBatch, type LicenseBatch } from './license-batch.ts';
import { createRandomIntegers } from './random.ts';

export interface GenerateKeys {
  ref: GeneratorRef;
  input: GenerateInput;
  /** Of the licenses saved. */
  source: LicenseSource;
  /** Told after each step how many keys there are so far. */
  onProgress?: (made: number) => void;
}
interface Services {
  store: Store;
  execute: Execute;
  clock: Clock;
}

/** Up to this many keys a template's keys are all tried; above, a bounded number of draws decides. */
const EXACT_UP_TO = 1_000_000;
const DRAWS_PER_KEY = 5;
const DRAWS_MORE = 1_000;
/** Tries again where another caller has taken a key between staging and commit. */
const TRIES = 3;

/**
 * New keys of a generator: distinct from each other and from every stored license; with `save` stored as licenses,
 * all of them or none.
 */
export async function generateKeys(
  services: Services,
  request: GenerateKeys,
  actor: Actor,
): Promise<Outcome<string[]>> {
  const found = await findGenerator(services.store.read, request.ref, actor);
  if (!found.ok) return found;
  if (!request.input.save)
    return draw(found.value, request, async (keys) => services.store.read.licenses.existing(keys));

  for (let tries = 1; ; tries++) {
    const batch = beginLicenseBatch(services.store.read, services.execute, actor);
    try {
      const saved = await save(services, found.value, request, batch);
      if (saved.ok || saved.refusal.reason !== 'staged_keys_exist' || tries === TRIES) return saved;
    } finally {
      await batch.discard();
    }
  }
}

async function save(
  { clock }: Services,
  generator: Generator,
  request: GenerateKeys,
  batch: LicenseBatch,
): Promise<Outcome<string[]>> {
  const { orderId, productId, userId, status } = request.input;
  const expiresAt = expiry(null, generator.expiresIn, toDatetime(clock()), 'expires_in');
  if (!expiresAt.ok) return expiresAt;
  const { activationsLimit, expiresIn: validFor } = generator;
  const common = {
    orderId,
    productId,
    userId,
    activationsLimit,
    validFor,
    expiresAt: expiresAt.value,
    status: status ?? INACTIVE,
  };

  let row = 0;
  const drawn = await draw(generator, request, async (keys) => {
    const first = row;
    row += keys.length;
    const taken = await batch.add(keys.map((key, i) => ({ ...common, key, row: first + i })));
    return new Set(taken.map((at) => keys[at - first] as string));
  });
  if (!drawn.ok) return drawn;
  const committed = await batch.commit({ source: request.source, skipConflicts: false });
  return committed.ok ? drawn : committed;
}

/** @param claim takes the keys it is given; answers those that could not be had */
async function draw(
  template: KeyTemplate,
  { input: { amount }, onProgress }: GenerateKeys,
  claim: (keys: string[]) => Promise<Set<string>>,
): Promise<Outcome<string[]>> {
  const exact = keySpace(template) <= EXACT_UP_TO;
  const exhausted = (available: number | null) => refused({ reason: 'keys_exhausted', amount, available });
  if (exact && keySpace(template) < amount) return exhausted(keySpace(template));

  const candidates = exact ? everyKey(template) : randomKeys(template, amount * DRAWS_PER_KEY + DRAWS_MORE);
  const keys = new Set<string>();
  while (keys.size < amount) {
    const some = take(candidates, Math.min(BATCH_CHUNK, amount - keys.size), keys);
    if (some.length === 0) return exhausted(exact ? keys.size : null);
    const taken = await claim(some);
    for (const key of some) if (!taken.has(key)) keys.add(key);
    onProgress?.(keys.size);
    await setImmediate();
  }
  return done([...keys]);
}

/** The next few candidates that a license may have as its key and that are not among `but`. */
function take(candidates: Iterator<string>, amount: number, but: Set<string>): string[] {
  const taken = new Set<string>();
  while (taken.size < amount) {
    const { value, done: ended } = candidates.next();
    if (ended) break;
    if (!but.has(value) && licenseKey.read(value).ok) taken.add(value);
  }
  return [...taken];
}

/** Every key of a small template once, in random order (Fisher-Yates, as far as it is read). */
function* everyKey(template: KeyTemplate): IterableIterator<string> {
  const random = createRandomIntegers();
  const order = Uint32Array.from({ length: keySpace(template) }, (_, index) => index);
  for (let i = 0; i < order.length; i++) {
    const j = i + random(order.length - i);
    const index = order[j] as number;
    order[j] = order[i] as number;
    yield keyAt(template, index);
  }
}

/** Uniformly random keys, which may repeat. */
function* randomKeys(template: KeyTemplate, draws: number): IterableIterator<string> {
  const random = createRandomIntegers();
  const charset = characters(template);
  for (let i = 0; i < draws; i++) yield compose(template, () => charset[random(charset.length)] as string);
}
