import { unserialize } from 'php-serialize';

/** `unserialize` looks classes up in this scope. The scope is empty, so no object is made. */
const NO_CLASSES = Object.freeze(Object.create(null)) as Record<string, never>;

/** A value as PHP's `serialize` writes it, without objects; undefined for anything else. */
export function readPhp(text: string): unknown {
  try {
    return unserialize(text, NO_CLASSES);
  } catch {
    return undefined;
  }
}
