import cluster from 'node:cluster';
import type { Config } from '../config/config.ts';
import { openService } from '../installation/service.ts';
import { createHousekeeper } from './housekeeping.ts';
import { createLogOutput, holdBack, type LogOutput } from './log-output.ts';
import { answered, askPrimary, type MetricsFromWorker, type MetricsToWorker } from './metrics.ts';
import { finish, openServer } from './open-server.ts';

/** A message from a worker to the primary process: a request for its settings, its port once it listens, or its metrics. */
export type FromWorker = { wants: 'settings' } | { port: number } | MetricsFromWorker;
/** A message from the primary process to a worker. */
export type Order = 'keep house' | 'log' | { settings: Config } | MetricsToWorker;

/** Milliseconds that a worker waits for its settings. */
const SETTINGS_MS = 30_000;

/** Serves in one of several processes. The primary process has prepared everything and says when to do housekeeping. */
export async function work(): Promise<void> {
  const given = answered<Config>(process, 'settings', SETTINGS_MS);
  tell({ wants: 'settings' });
  const config = await given;
  const service = await openService(config, { mustExist: true });
  const output = holdBack(createLogOutput());
  const server = await openServer(service, config, { logTo: signed(output), allMetrics: askPrimary });
  const { app, failures } = server;
  const started = server.listen().then((port) => {
    server.startBackgroundWork();
    return port;
  });
  // Fastify would go on to listen after a close.
  const stopAll = async () => {
    await Promise.allSettled([started]);
    await server.stop();
  };

  // Ignore a second signal: the terminal signals all processes, and the primary process signals its workers.
  let stopping = false;
  const stop = async (reason: string) => {
    if (stopping) return;
    stopping = true;
    await finish({ app, stop: stopAll }, reason);
    if (process.connected) process.disconnect?.();
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  // Without this mark Node.js would exit at once when the primary process is gone. Stop gracefully instead.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  process.on('disconnect', () => stop('the primary process has ended'));

  const tidy = createHousekeeper(service, config, app.log, { failures });
  const report = async () => {
    try {
      if (server.metrics) tell({ report: await server.metrics.report() });
    } catch (error) {
      app.log.warn({ err: error }, 'the metrics could not be read');
    }
  };
  const port = await started;
  process.on('message', (order: Order) => {
    if (order === 'log') output.release();
    else if (order === 'keep house' && !stopping) void tidy();
    else if (order === 'report metrics') void report();
  });
  tell({ port });
}

/** Sends a message to the primary process. Does nothing once that process is gone. */
const tell = (message: FromWorker): void => void (process.connected && process.send?.(message));

/** Adds the process id to each line of the log. */
const signed = (output: LogOutput) => ({
  write: (line: string) => output.write(`{"pid":${process.pid},${line.slice(1)}`),
});
