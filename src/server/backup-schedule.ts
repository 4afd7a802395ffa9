import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import type { Readable } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import { findArchives } from '../archive/folder.ts';
import type { Config } from '../config/config.ts';
import { backupFolder } from '../installation/service.ts';

const HOUR_MS = 3_600_000;
/** After a backup that failed. */
const RETRY_MS = 15 * 60_000;
/** A timer waits no longer: the clock may be set, and somebody may make or remove backups by hand. */
const LOOK_MS = HOUR_MS;
/** One that is told to stop has this long, in milliseconds. */
const STOP_MS = 10_000;
/** Characters of what it says of a failure. */
const TOLD_MAX = 4_000;

export interface BackupSchedule {
  /** Ends a backup that is under way, which leaves nothing. */
  stop(): Promise<void>;
}

/**
 * Makes a backup every so many hours since the newest in the folder, as a process of its own that others go before.
 * @param settings the flags of this server, as the variables that they stand for
 * @param retryMs milliseconds after which one that failed is tried again
 */
export function scheduleBackups(
  config: Pick<Config, 'backupHours' | 'backupDir' | 'backupKeep' | 'dataDir'>,
  settings: Readonly<Record<string, string>>,
  log: Pick<FastifyBaseLogger, 'info' | 'error'>,
  { retryMs = RETRY_MS } = {},
): BackupSchedule {
  const { backupHours: hours, backupKeep: keep } = config;
  const folder = backupFolder(config);
  const stopping = new AbortController();
  let underWay = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  /** Milliseconds until the next is due, 0 where it is. */
  function untilDue(): number {
    const now = Date.now();
    // One of the future is of a clock that was wrong.
    const newest = findArchives(folder).find(({ when }) => when <= now);
    return newest ? Math.max(0, newest.when + hours * HOUR_MS - now) : 0;
  }

  function look(): void {
    underWay = lookNow().then((wait) => {
      if (!stopping.signal.aborted) timer = setTimeout(look, wait);
    });
  }

  /** @returns milliseconds after which to look again */
  async function lookNow(): Promise<number> {
    const isAgain = { again_in_minutes: Math.round(retryMs / 60_000) };
    try {
      if (untilDue() === 0) {
        const ended = await runBackup(folder, keep, settings, stopping.signal);
        if (stopping.signal.aborted) return 0;
        if (ended.error === null) log.info(ended.made, 'a backup was made');
        else {
          log.error({ ...ended.error, ...isAgain }, 'no backup was made, and it will be tried again');
          return retryMs;
        }
      }
      return Math.min(untilDue(), LOOK_MS);
    } catch (error) {
      // A folder that cannot be read, or a process that cannot be started.
      log.error({ err: error, ...isAgain }, 'no backup was made, and it will be tried again');
      return retryMs;
    }
  }

  if (hours > 0) look();
  return {
    async stop() {
      clearTimeout(timer);
      stopping.abort();
      await underWay;
    },
  };
}

type Ended = { made: object; error: null } | { error: object };

/** `latchkey backup` as a process of its own, with the settings of this one. */
async function runBackup(
  folder: string,
  keep: number,
  settings: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Ended> {
  const [, program = ''] = process.argv;
  const words = ['backup', '--json', '--to', `${folder}/`, '--keep', String(keep)];
  const child = spawn(process.execPath, [...process.execArgv, program, ...words], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Of a group of its own: a Ctrl-C in the terminal reaches it through us, once.
    detached: true,
  });
  // Before it has started any threads, for they take it over.
  yieldTo(child.pid);
  const stop = () => {
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), STOP_MS).unref();
  };
  signal.addEventListener('abort', stop);
  try {
    // All of what it answers: that names each backup that was removed.
    const told = [textOf(child.stdout, Number.POSITIVE_INFINITY), textOf(child.stderr, TOLD_MAX)];
    const [code] = (await once(child, 'close')) as [number | null];
    const [out = '', words = ''] = await Promise.all(told);
    return code === 0 ? { made: summaryOf(out), error: null } : { error: { code, ...failureOf(words) } };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The last so many characters of it. */
async function textOf(stream: Readable, max: number): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text = (text + chunk).slice(-max);
  return text;
}

function yieldTo(pid: number | undefined): void {
  try {
    if (pid) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already.
  }
}

function summaryOf(out: string): object {
  const { file, bytes, seconds, removed } = JSON.parse(out);
  return { file, bytes, seconds, removed: removed.length };
}

/** What it has said in the end. */
function failureOf(words: string): object {
  try {
    const { error } = JSON.parse(words.trimEnd().split('\n').at(-1) ?? '');
    return { reason: error.code, message: error.message };
  } catch {
    return { reason: 'ended', message: words };
  }
}
