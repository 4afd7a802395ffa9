import { unserialize } from 'php-serialize';

/** What is not known or not as expected: `unserialize` looks up classes in the scope, and this one has none. */
const NO_CLASSES = Object.freeze(Object.create(null)) as Record<string, never>;

/** A value as PHP's `serialize` writes it, without objects; undefined for anything else. */
export function readPhp(text: string): unknown {
  try {
    return unserialize(text, NO_CLASSES);
  } catch {
    return undefined;
  }
}
