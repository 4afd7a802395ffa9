import type { FastifyBaseLogger } from 'fastify';
import { findArchives } from '../archive/folder.ts';
import type { Config } from '../config/config.ts';
import { backupFolder } from '../installation/service.ts';

const HOUR_MS = 3_600_000;
/** After a backup that failed. */
const RETRY_MS = 15 * 60_000;
/** The longest wait: the clock may be set, and people make and remove backups by hand. */
const LOOK_MS = HOUR_MS;

export interface BackupSchedule {
  /** Interrupts a backup that is being made; nothing of it is left. */
  stop(): Promise<void>;
}

/**
 * Makes a backup when the newest in the folder is as old as the settings say.
 * @param retryMs milliseconds after which one that failed is tried again
 */
export function scheduleBackups(
  config: Config,
  log: Pick<FastifyBaseLogger, 'info' | 'error'>,
  { retryMs = RETRY_MS } = {},
): BackupSchedule {
  const { backupHours: hours, backupKeep: keep } = config;
  const folder = backupFolder(config);
  const stopping = new AbortController();
  const { signal } = stopping;
  let current = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  /** Milliseconds until the next backup is due; 0 when it is due. */
  function untilDue(): number {
    const now = Date.now();
    // A backup of the future was made by a wrong clock.
    const newest = findArchives(folder).find(({ when }) => when <= now);
    return newest ? Math.max(0, newest.when + hours * HOUR_MS - now) : 0;
  }

  function look(): void {
    current = backUpWhenDue().then((wait) => {
      if (!signal.aborted) timer = setTimeout(look, wait);
    });
  }

  /** @returns milliseconds after which to look again */
  async function backUpWhenDue(): Promise<number> {
    try {
      if (untilDue() === 0) {
        // Loaded when it is needed: most processes never make a backup.
        const { backUpTo } = await import('../installation/backing-up.ts');
        const options = { keep, withFiles: true };
        // The slash makes it a folder, whatever its name ends in.
        const backed = await backUpTo(config, `${folder}/`, options, { signal, onProgress: () => {} });
        const { file, made, removed, seconds } = backed;
        log.info({ file, bytes: made.bytes, seconds, removed: removed.length }, 'a backup was made');
      }
      return Math.min(untilDue(), LOOK_MS);
    } catch (error) {
      if (signal.aborted) return 0;
      const again = { again_in_minutes: Math.round(retryMs / 60_000) };
      log.error({ err: error, ...again }, 'no backup was made, and it will be tried again');
      return retryMs;
    }
  }

  if (hours > 0) look();
  return {
    async stop() {
      clearTimeout(timer);
      stopping.abort();
      await current;
    },
  };
}
