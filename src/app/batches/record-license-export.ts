import type { Command } from '../command.ts';

export interface LicenseExport {
  /** Which licenses, by wire names; a text that may be a key is masked. */
  filter: Readonly<Record<string, unknown>>;
  columns: readonly string[];
  /** How many there were at its beginning; null where there were too many to count. */
  count: number | null;
}

/** Records that somebody takes licenses away in a file, before its first line is sent. */
export const recordLicenseExport: Command<LicenseExport, null> = async (
  _,
  { filter, columns, count },
  { record },
) => {
  const about = { count, ...filter, columns: columns.join(' ') };
  record({ action: 'license.export', subject: { type: 'license', id: null }, about });
  return null;
};
