import type { Migration } from './migration.ts';

/** Apart from 0031: waiting for the lock that this needs must not undo the index that 0031 has built. */
export const noInstallIndex: Migration = {
  name: '0032-no-install-index',
  note: 'Removes the index that 0031 replaces.',
  // It may be missing: 0031 removed it in earlier commits.
  up: ({ schema }) => [schema.dropIndex('activations_by_software').ifExists()],
};
