import type { en } from '../en/index.ts';
import * as first from '../first/de.ts';
import * as later from '../later/de.ts';

/** Every text, by noun. One namespace each. */
export const de: typeof en = { ...first, ...later };
