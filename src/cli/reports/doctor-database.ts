import type { Inspection } from '../../store/backups/inspection.ts';
import { type Check, fail, ok } from './doctor-check.ts';

/** What a look at the database has shown, on either engine. */
export interface CheckedDatabase {
  /** The first tells whether it can be used at all. */
  checks: Check[];
  /** Null where it could not be looked into. */
  found: Inspection | null;
  /** Whether it was made with a master key, as far as can be told. */
  exists: boolean;
}

export const checkMigrations = (missing: readonly string[]): Check =>
  missing.length > 0
    ? fail(
        'Migrations',
        `missing: ${missing.join(', ')}`,
        'Run "latchkey migrate"; a start of the server does it too.',
      )
    : ok('Migrations', 'none is missing');
