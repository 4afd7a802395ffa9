import * as first from '../first/en.ts';
import * as later from '../later/en.ts';

/** Every text, by noun. One namespace each. */
export const en = { ...first, ...later };
