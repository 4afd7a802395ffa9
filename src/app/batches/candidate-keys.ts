import { characters, compose, type KeyTemplate, keyAt, keySpace } from '../../domain/generator.ts';
import { licenseKey } from '../../domain/license.ts';
import { createRandomIntegers } from '../random.ts';

/** Up to this many keys a template's keys are all tried; above, a bounded number of draws decides. */
const EXACT_UP_TO = 1_000_000;
const DRAWS_PER_KEY = 5;
const DRAWS_MORE = 1_000;

export const isExact = (template: KeyTemplate): boolean => keySpace(template) <= EXACT_UP_TO;

/**
 * Keys of a template, uniformly drawn: every one of a small template once, in random order; a bounded number of draws,
 * which may repeat, of a larger one.
 * @param amount how many keys are wanted of it
 */
export function candidateKeys(template: KeyTemplate, amount: number): Iterator<string> {
  return isExact(template) ? everyKey(template) : randomKeys(template, amount * DRAWS_PER_KEY + DRAWS_MORE);
}

/** Up to this many keys all are looked through for some examples, which takes no time. */
const FEW_KEYS = 1_000;
const DRAWS_FOR_EXAMPLES = 100;

/** Some different keys of a template, to be looked at; fewer where it has no more. */
export function exampleKeys(template: KeyTemplate, count: number): string[] {
  const keys = new Set<string>();
  const candidates =
    keySpace(template) <= FEW_KEYS ? everyKey(template) : randomKeys(template, DRAWS_FOR_EXAMPLES);
  for (const key of candidates) {
    if (licenseKey.read(key).ok) keys.add(key);
    if (keys.size === count) break;
  }
  return [...keys];
}

/** Fisher-Yates, as far as it is read. */
function* everyKey(template: KeyTemplate): Generator<string> {
  const random = createRandomIntegers();
  const charset = characters(template);
  const order = Uint32Array.from({ length: keySpace(template) }, (_, index) => index);
  for (let i = 0; i < order.length; i++) {
    const j = i + random(order.length - i);
    const index = order[j] as number;
    order[j] = order[i] as number;
    yield keyAt(template, index, charset);
  }
}

function* randomKeys(template: KeyTemplate, draws: number): Generator<string> {
  const random = createRandomIntegers();
  const charset = characters(template);
  for (let i = 0; i < draws; i++) yield compose(template, () => charset[random(charset.length)] as string);
}
