import cluster, { type Worker } from 'node:cluster';
import { pino } from 'pino';
import type { Config } from '../config/config.ts';
import { IS_EXECUTABLE } from '../config/executable.ts';
import { loggerOptions } from '../http/logging.ts';
import { engineOf } from '../installation/engines.ts';
import { type BackupSchedule, scheduleBackups } from './backup-schedule.ts';
import { HOUSEKEEPING_MS } from './housekeeping.ts';
import { type JobFailures, noFailures } from './job-failures.ts';
import { createLogOutput, holdBack } from './log-output.ts';
import { gatherMetrics } from './metrics.ts';
import { onSignals } from './signals.ts';
import { completeStart, logStart, prepareStart, type ServerStart } from './start.ts';
import type { FromWorker, Order } from './worker.ts';

/** A worker that ends within this many milliseconds after its start is replaced after a pause. */
const SOON_MS = 5_000;
const PAUSE_MS = 1_000;
/** A worker stops within 25 seconds. If it does not react, it is killed after this many milliseconds. */
const STOP_MS = 27_000;

/**
 * Serves with several processes on one address. This process, the primary, prepares everything, starts the workers,
 * replaces those that die, and stops them. It does not keep the database open. Before it exits it moves SQLite's log into
 * the database file.
 */
export async function serveByWorkers({ config, warnings, print }: ServerStart): Promise<void> {
  const output = holdBack(createLogOutput());
  const log = pino({ ...loggerOptions(config.logLevel, output), base: { pid: process.pid } }, output);
  const { putLogAway } = await engineOf(config);
  const { service, warnings: more } = await prepareStart(config, print);
  // At the very end, when no worker, backup or service has the database open.
  process.once('exit', putLogAway);
  const workers = superviseWorkers(log, config);
  try {
    logStart(log, service, [...warnings, ...more]);
    const port = await workers.start(config.workers);
    if (port === null) return;
    await print(await completeStart(service, config, port));
    output.release();
    workers.log();
    workers.whileServing((failures) => scheduleBackups(config, log, { failures }));
  } finally {
    await service.close();
  }
}

/** Starts, replaces and stops the workers of `cluster`. */
function superviseWorkers(log: pino.Logger, config: Config) {
  let phase: 'starting' | 'serving' | 'stopping' = 'starting';
  let backups: BackupSchedule | null = null;
  const failures = noFailures();
  /** Workers that listen. */
  const serving = new Set<Worker>();
  const running = (): Worker[] =>
    Object.values(cluster.workers ?? {}).filter((worker): worker is Worker => worker?.isDead() === false);
  const tell = (worker: Worker | undefined, order: Order) => {
    if (worker?.isConnected()) worker.send(order);
  };
  const timer = setInterval(() => tell(running()[0], 'keep house'), HOUSEKEEPING_MS);

  // Use round robin. With a shared socket, the kernel may give most of the connections to one worker. With a socket per
  // worker, it drops the waiting connections of a worker that dies. Round robin costs this process 60 µs per connection,
  // and nothing per request.
  cluster.schedulingPolicy = cluster.SCHED_RR;
  // Settings hold bytes, which JSON cannot.
  cluster.setupPrimary({ serialization: 'advanced' });
  // Pass the executable only the arguments of the program: no file, and no flags of Node.js, because the executable
  // contains them.
  const [exec, ...args] = process.argv.slice(2);
  if (IS_EXECUTABLE && exec) cluster.setupPrimary({ exec, args, execArgv: [] });

  /** Starts a worker. @returns the port that it listens on; null if it ended before */
  function startOne(): Promise<number | null> {
    const worker = cluster.fork();
    const { pid } = worker.process;
    closeLostConnection(worker);
    const begun = performance.now();
    return new Promise((resolve) => {
      worker.on('message', (message: FromWorker) => {
        if ('port' in message) {
          serving.add(worker);
          if (phase === 'serving') tell(worker, 'log');
          resolve(message.port);
        } else if ('wants' in message) {
          if (message.wants === 'settings') tell(worker, { settings: config });
          else void sendMetrics(worker);
        }
      });
      worker.once('exit', (code: number | null, signal: NodeJS.Signals | null) => {
        const hasServed = serving.delete(worker);
        resolve(null);
        if (phase === 'stopping') return ended(code, signal);
        const ending = { worker: pid, code, signal };
        if (phase === 'serving' || hasServed) return replace(ending, performance.now() - begun);
        process.exitCode = code || 1;
        // A worker that ends by itself has written the reason to standard error.
        if (signal) log.error(ending, 'a worker was killed before it listened, so the start ends');
      });
    });
  }

  async function sendMetrics(to: Worker): Promise<void> {
    const metrics = await gatherMetrics(
      [...serving].filter((one) => one.isConnected()),
      failures,
    ).catch((error) => {
      log.warn({ err: error }, 'a worker did not report its metrics in time');
      return null;
    });
    tell(to, { metrics });
  }

  function replace(ending: object, lived: number): void {
    log.error(ending, 'a worker has ended and is replaced');
    setTimeout(
      async () => {
        // Remove what the dead worker left behind now, not with the next housekeeping.
        if (phase !== 'stopping' && (await startOne()) !== null) tell(running().at(-1), 'keep house');
      },
      lived < SOON_MS ? PAUSE_MS : 0,
    );
  }

  function stop(signal: NodeJS.Signals): void {
    phase = 'stopping';
    clearInterval(timer);
    log.info(`${signal}: the workers finish pending requests`);
    void backups?.stop();
    for (const worker of running()) worker.process.kill('SIGTERM');
    setTimeout(kill, STOP_MS).unref();
  }

  function kill(): void {
    for (const worker of running()) worker.process.kill('SIGKILL');
    process.exit(1);
  }

  function ended(code: number | null, signal: NodeJS.Signals | null): void {
    // A worker that had not installed its handler yet ends by the signal.
    if (code !== 0 && signal !== 'SIGTERM' && signal !== 'SIGINT') process.exitCode = 1;
    if (running().length === 0) log.info('stopped');
  }

  return {
    /** Lets the workers write their log, after the start has printed its text. */
    log(): void {
      for (const worker of running()) tell(worker, 'log');
    },
    /** Starts the schedule, unless a signal has arrived. The first signal stops it. */
    whileServing(schedule: (failures: JobFailures) => BackupSchedule): void {
      if (phase === 'serving') backups = schedule(failures);
    },
    /** @returns the port; null if the start failed, with the exit code set */
    async start(count: number): Promise<number | null> {
      const onSignal = onSignals(stop, kill);
      process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
      // The first worker alone, so that an error is printed only once.
      const port = await startOne();
      const others = port === null || phase === 'stopping' ? [] : Array.from({ length: count - 1 }, startOne);
      const failed = port === null || (await Promise.all(others)).includes(null);
      if (phase === 'stopping' || failed) return null;
      phase = 'serving';
      tell(running()[0], 'keep house');
      return port;
    },
  };
}

/**
 * Closes the connection that was being sent to a worker when the worker died. Node.js forgets this connection, and its
 * client would wait forever. There is at most one, because the next one waits until the worker has accepted it. This
 * process has already closed accepted connections, and closing one again does nothing.
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
