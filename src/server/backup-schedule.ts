import type { FastifyBaseLogger } from 'fastify';
import { newestArchive } from '../archive/folder.ts';
import type { Config } from '../config/config.ts';
import { HOUR_MS } from '../domain/datetime.ts';
import { backupFolder } from '../installation/service.ts';
import { noFailures } from './job-failures.ts';

/** Milliseconds to wait after a failed backup. */
const RETRY_MS = 15 * 60_000;
/**
 * The longest wait in milliseconds. It is short because the clock may be set, and backups may be made or removed by hand.
 */
const CHECK_MS = HOUR_MS;

export type BackupSchedule = ReturnType<typeof scheduleBackups>;

/**
 * Makes a backup whenever the newest one in the folder has the configured age.
 * @param options.retryMs milliseconds to wait after a failed backup
 */
export function scheduleBackups(
  config: Config,
  log: Pick<FastifyBaseLogger, 'info' | 'error'>,
  { retryMs = RETRY_MS, failures = noFailures() } = {},
) {
  const { backupHours: hours, backupKeep: keep } = config;
  const folder = backupFolder(config);
  const stopping = new AbortController();
  const { signal } = stopping;
  let current = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  /** Milliseconds until the next backup is due; 0 when it is due. */
  function untilDue(): number {
    const now = Date.now();
    const newest = newestArchive(folder, now);
    return newest ? Math.max(0, newest.when + hours * HOUR_MS - now) : 0;
  }

  function check(): void {
    current = backUpWhenDue().then((wait) => {
      if (!signal.aborted) timer = setTimeout(check, wait);
    });
  }

  /** @returns milliseconds until the next check */
  async function backUpWhenDue(): Promise<number> {
    try {
      if (untilDue() === 0) {
        // Loaded on demand: most processes never make a backup.
        const { backUpTo } = await import('../installation/backing-up.ts');
        const options = { keep, withFiles: true };
        // With the slash it is a folder, even if its name ends in .tar.
        const backed = await backUpTo(config, `${folder}/`, options, { signal, onProgress: () => {} });
        const { file, made, removed, seconds } = backed;
        log.info({ file, bytes: made.bytes, seconds, removed: removed.length }, 'a backup was made');
      }
      return Math.min(untilDue(), CHECK_MS);
    } catch (error) {
      if (signal.aborted) return 0;
      failures.backup++;
      const minutes = Math.round(retryMs / 60_000);
      log.error({ err: error, again_in_minutes: minutes }, 'the backup failed and will be retried');
      return retryMs;
    }
  }

  if (hours > 0) check();
  return {
    /** Stops the schedule. Aborts a backup in progress, and removes it. */
    async stop(): Promise<void> {
      clearTimeout(timer);
      stopping.abort();
      await current;
    },
  };
}
