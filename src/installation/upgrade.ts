import { dirname } from 'node:path';
import type { Config } from '../config/config.ts';
import type { UpgradeInspection } from '../store/backups/inspection.ts';
import type { FoundBackup } from './backing-up.ts';
import { diskSpace } from './disk-space.ts';
import { databaseFile, engineOf } from './engines.ts';
import { backupFolder, DatabaseMissing, type StoreConfig } from './service.ts';

// Rough seconds per index entry, per converted row, and per rewritten byte, measured on a slow core
// (docs/decisions/0023-upgrades.md).
const INDEX_SECONDS = 4e-6;
const CONVERT_SECONDS = 60e-6;
const REWRITE_SECONDS = 30 / 1024 ** 3;
/** Bytes of an index entry, in the file and once more in the log of the engine. */
const INDEX_BYTES = 2 * 60;
/** SQLite writes the file twice to rewrite it: to a temporary file, and to its log. */
const REWRITE_COPIES = 2;

/** What would happen to a database if this program started on it. */
export interface UpgradePlan extends UpgradeInspection {
  kind: 'sqlite' | 'postgres';
  /** A description of the database, for messages; without the password. */
  database: string;
  /** Estimated seconds until the start listens. */
  startSeconds: number;
  /** Rows that the server converts after the start, and estimated seconds for that. */
  rewritten: number;
  rewriteSeconds: number;
  /** Bytes of disk space that the start needs, and that the conversion needs, including the start after it. */
  startBytes: number;
  rewriteBytes: number;
  /** Free bytes on the disk of the database; null for PostgreSQL, which does not report them. */
  freeBytes: number | null;
  /** The newest backup in the folder; null if there is none. */
  backup: FoundBackup | null;
  backupFolder: string;
}

/** Returns the plan of an upgrade. Changes nothing. @throws DatabaseMissing, StoreUnavailable, StoreDamaged */
export async function planUpgrade(config: StoreConfig & Pick<Config, 'backupDir'>): Promise<UpgradePlan> {
  const engine = await engineOf(config);
  if (!(await engine.exists())) throw new DatabaseMissing(engine.advice);
  const found = await engine.inspectUpgrade();
  const sum = (of: 'indexed' | 'rewritten') => found.pending.reduce((total, one) => total + one[of], 0);
  const [indexed, rewritten] = [sum('indexed'), sum('rewritten')];
  const isFile = engine.kind === 'sqlite';
  const rewrite = (isNeeded: boolean, factor: number) => (isFile && isNeeded ? found.bytes * factor : 0);
  const folder = backupFolder(config);
  // Loaded on demand: reading backups takes a library that no other short command needs.
  const { newestBackup } = await import('./backing-up.ts');
  const backup = await newestBackup(folder);
  return {
    ...found,
    kind: engine.kind,
    database: engine.described,
    rewritten,
    backup,
    backupFolder: folder,
    startSeconds: indexed * INDEX_SECONDS + rewrite(found.isRewriteDue, REWRITE_SECONDS),
    rewriteSeconds: rewritten * CONVERT_SECONDS,
    startBytes: indexed * INDEX_BYTES + rewrite(found.isRewriteDue, REWRITE_COPIES),
    rewriteBytes: rewrite(rewritten > 0, REWRITE_COPIES),
    freeBytes: isFile ? (await diskSpace(dirname(databaseFile(config.dataDir)))).free : null,
  };
}
