// How the server runs. docs/decisions/0005 and 0009 have the reasons.

/** Flags of Node.js that limit memory, in MiB: for new objects and for old objects. */
export const FLAGS = ['--max-semi-space-size=8', '--max-old-space-size=512'];
/** Variables that the C library reads when the process starts. */
export const ENVIRONMENT = { MALLOC_ARENA_MAX: '1' };
