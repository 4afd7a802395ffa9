import { randomInt } from 'node:crypto';
import { characters, compose, type KeyTemplate, keyAt, keySpace } from '../../domain/generator.ts';
import { licenseKey } from '../../domain/licenses/license.ts';

/** Enumerate the keys of templates with up to this many keys; draw random keys from larger templates. */
const EXACT_UP_TO = 1_000_000;
/** Random draws from a larger template for each wanted key. */
const DRAWS_PER_KEY = 5;
const EXTRA_DRAWS = 1_000;

export const isExact = (template: KeyTemplate): boolean => keySpace(template) <= EXACT_UP_TO;

/**
 * Returns keys drawn uniformly: every key of a small template once, in random order; a bounded number of keys of a larger
 * template, which may repeat.
 * @param amount the number of keys wanted
 */
export function candidateKeys(template: KeyTemplate, amount: number): Iterator<string> {
  return isExact(template) ? everyKey(template) : randomKeys(template, amount * DRAWS_PER_KEY + EXTRA_DRAWS);
}

const FEW_KEYS = 1_000;
const DRAWS_FOR_EXAMPLES = 100;

/** Returns different keys as examples; fewer than `count` if the template has fewer keys. */
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

/** A lazy Fisher-Yates shuffle. */
function* everyKey(template: KeyTemplate): Generator<string> {
  const charset = characters(template);
  const order = Uint32Array.from({ length: keySpace(template) }, (_, index) => index);
  for (let i = 0; i < order.length; i++) {
    const j = i + randomInt(order.length - i);
    const index = order[j] as number;
    order[j] = order[i] as number;
    yield keyAt(template, index, charset);
  }
}

function* randomKeys(template: KeyTemplate, draws: number): Generator<string> {
  const charset = characters(template);
  for (let i = 0; i < draws; i++) yield compose(template, () => charset[randomInt(charset.length)] as string);
}
