import { defineCommand } from '../command.ts';

export interface LicenseExport {
  /** Which licenses, by wire names; a text that may be a key is masked. */
  filter: Readonly<Record<string, unknown>>;
  columns: readonly string[];
  /** How many there were at its beginning; null if they were too many to count. */
  count: number | null;
}

/** Records that somebody exports licenses, before the first line is sent. */
export const recordLicenseExport = defineCommand({
  name: 'record-license-export',
  guarded: true,
  audit: 'always',
  run: async (_transaction, { filter, columns, count }: LicenseExport, { record }): Promise<null> => {
    record({ action: 'license.export', id: null, about: { count, ...filter, columns: columns.join(' ') } });
    return null;
  },
});
