import { isSea } from 'node:sea';

/** Whether this is the single executable: Node.js with the files of the bundle inside (`tools/binary.ts`). */
export const IS_EXECUTABLE: boolean = isSea();
