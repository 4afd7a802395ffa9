import cluster, { type Worker } from 'node:cluster';
import { pino } from 'pino';
import { loggerOptions } from '../http/logging.ts';
import { type BackupSchedule, scheduleBackups } from './backup-schedule.ts';
import { HOUSEKEEPING_MS } from './housekeeping.ts';
import { createLogOutput } from './log-output.ts';
import { completeStart, prepareStart, type ServerStart } from './start.ts';
import type { Listening, Order } from './worker.ts';

/** A worker that ends sooner than this many milliseconds after its start is replaced after a pause. */
const SOON_MS = 5_000;
const PAUSE_MS = 1_000;
/** A worker that is told to stop ends within 25 seconds; one that does not hear us is killed after these milliseconds. */
const STOP_MS = 27_000;

/**
 * Several processes that serve on one address. This one, the primary, prepares everything, starts the others, replaces
 * those that die, and ends them all in order; meanwhile it holds no database open.
 */
export async function serveByWorkers({ config, warnings, print }: ServerStart): Promise<void> {
  // The same program runs in each of them.
  if (cluster.isWorker) return (await import('./worker.ts')).work(config);
  const output = createLogOutput();
  const log = pino({ ...loggerOptions(config.logLevel, output), base: { pid: process.pid } }, output);
  const { service, warnings: more } = await prepareStart(config, print);
  const workers = superviseWorkers(log);
  try {
    for (const warning of [...warnings, ...more]) log.warn(warning);
    const port = await workers.start(config.workers);
    if (port === null) return;
    print(await completeStart(service, config, port));
    workers.whileServing(() => scheduleBackups(config, log));
  } finally {
    await service.close();
  }
}

/** The state of all workers, which are those of `cluster`. */
function superviseWorkers(log: pino.Logger) {
  let phase: 'starting' | 'serving' | 'stopping' = 'starting';
  let backups: BackupSchedule | null = null;
  const running = (): Worker[] =>
    Object.values(cluster.workers ?? {}).filter((worker): worker is Worker => worker?.isDead() === false);
  const tell = (worker: Worker | undefined, order: Order) => {
    if (worker?.isConnected()) worker.send(order);
  };
  const timer = setInterval(() => tell(running()[0], 'keep house'), HOUSEKEEPING_MS);

  // Round robin: the kernel alone, with the socket shared, may give one worker most of the connections, and with a
  // socket for each it drops those that wait at one that dies. A connection costs this process 60 µs, a request nothing.
  cluster.schedulingPolicy = cluster.SCHED_RR;

  /** @returns the port that it listens on; null where it ended before that */
  function startOne(): Promise<number | null> {
    const worker = cluster.fork();
    const { pid } = worker.process;
    closeLostConnection(worker);
    const begun = performance.now();
    return new Promise((resolve) => {
      worker.once('message', ({ port }: Listening) => resolve(port));
      worker.once('exit', (code: number | null, signal: NodeJS.Signals | null) => {
        resolve(null);
        if (phase === 'stopping') return ended(code, signal);
        // Its own words are on standard error.
        if (phase === 'starting') process.exitCode = code || 1;
        else replace({ worker: pid, code, signal }, performance.now() - begun);
      });
    });
  }

  function replace(ending: object, lived: number): void {
    log.error(ending, 'a worker has ended and is replaced');
    setTimeout(
      async () => {
        // What it left of uploads need not wait for its hour.
        if (phase === 'serving' && (await startOne()) !== null) tell(running().at(-1), 'keep house');
      },
      lived < SOON_MS ? PAUSE_MS : 0,
    );
  }

  function stop(signal: NodeJS.Signals): void {
    if (phase === 'stopping') {
      for (const worker of running()) worker.process.kill('SIGKILL');
      process.exit(1);
    }
    phase = 'stopping';
    clearInterval(timer);
    log.info(`${signal}: the workers finish what is under way`);
    void backups?.stop();
    for (const worker of running()) worker.process.kill('SIGTERM');
    setTimeout(() => stop(signal), STOP_MS).unref();
  }

  function ended(code: number | null, signal: NodeJS.Signals | null): void {
    // By SIGTERM ends who had nothing to finish yet.
    if (code !== 0 && signal !== 'SIGTERM') process.exitCode = 1;
    if (running().length === 0) log.info('stopped');
  }

  return {
    /** Begins what is ended with the first signal, unless that has come. */
    whileServing(begin: () => BackupSchedule): void {
      if (phase === 'serving') backups = begin();
    },
    /** @returns the port; null where there is nothing to serve, with the exit code set */
    async start(count: number): Promise<number | null> {
      process.on('SIGTERM', stop).on('SIGINT', stop);
      // The first one alone: what keeps it from listening is told once.
      const port = await startOne();
      const others = port === null ? [] : Array.from({ length: count - 1 }, startOne);
      const failed = port === null || (await Promise.all(others)).includes(null);
      if (phase === 'stopping' || failed) return null;
      phase = 'serving';
      tell(running()[0], 'keep house');
      return port;
    },
  };
}

/**
 * Closes the connection that Node.js was sending to a worker when the worker died: Node.js forgets it, and its client
 * would wait forever. There is one at most, because the next one waits until the worker has accepted it. A connection
 * that was accepted is closed in this process already, and closing it again does nothing.
 */
function closeLostConnection({ process: child }: Worker): void {
  let sentLast: { close(): void } | undefined;
  const send = child.send.bind(child) as (...sent: unknown[]) => boolean;
  child.send = (...sent: unknown[]) => {
    sentLast = (sent[1] as typeof sentLast) ?? sentLast;
    return send(...sent);
  };
  child.once('exit', () => sentLast?.close());
}
