import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createLastAccess, type LastAccess } from '../app/api-keys/last-access.ts';
import { chainEntries, REACH } from '../app/audit/audit-chain.ts';
import type { Config } from '../config/config.ts';
import { metricsServer } from '../http/metrics.ts';
import { createServer, type ServerOptions } from '../http/server.ts';
import { describeInstallation } from '../installation/describe.ts';
import type { Service } from '../installation/service.ts';
import { chainAndLog } from './housekeeping.ts';
import { type Job, type JobFailures, noFailures, noteFailure } from './job-failures.ts';
import { openMetrics, type ServerMetrics, wantsMetrics } from './metrics.ts';

/** Intervals in milliseconds: writing the counts, and chaining the audit trail. */
const COUNTS_MS = 10_000;
const CHAIN_MS = 1_000;
/** Milliseconds that a stop may take. */
const STOP_MS = 25_000;

/** A server together with its service. */
export interface OpenServer {
  app: FastifyInstance;
  /** Counts in memory. The background work writes them to the database. */
  lastAccess: LastAccess;
  /** Failures of background jobs, whoever runs them. */
  failures: JobFailures;
  /** Null unless the settings turn them on. */
  metrics: ServerMetrics | null;
  /** Listens at the hosts of the settings. @returns the port */
  listen(port?: number): Promise<number>;
  /** Writes counts to the database and chains the audit trail, until the server stops. */
  startBackgroundWork(): void;
  /** Answers the pending requests, writes the counts, and closes the service. */
  stop(): Promise<void>;
}

/**
 * Creates the server of a service. It does not listen yet.
 * @param options.allMetrics the metrics of all processes, if there are several
 */
export async function openServer(
  service: Service,
  config: Config,
  options: Pick<ServerOptions, 'logTo' | 'timeouts' | 'consoleFolder'> & {
    allMetrics?: () => Promise<string>;
  },
): Promise<OpenServer> {
  const lastAccess = createLastAccess(service.execute, service.clock);
  const installation = describeInstallation(config, service);
  const failures = noFailures();
  const metrics = wantsMetrics(config)
    ? await openMetrics(config, service, installation, failures, options.allMetrics)
    : null;
  const app = await createServer(
    { ...service, lastAccess, installation },
    { ...config, ...options, metrics },
  );
  const metricsApp = metrics && config.metricsPort !== null ? metricsServer(app.log, metrics) : null;
  const orWarn = (job: Job, work: Promise<unknown>) => work.catch(noteFailure(job, failures, app.log));
  const flush = async () => {
    await Promise.all([
      orWarn('usage_counts', lastAccess.flush()),
      orWarn('usage_counts', service.usage.flush()),
      orWarn('usage_counts', service.lastSeen.flush()),
    ]);
  };
  // One at a time: with a slow database they would pile up.
  let chaining: Promise<unknown> | null = null;
  const chain = () => {
    chaining ??= orWarn('audit_chain', chainEntries(service, REACH.often)).finally(() => {
      chaining = null;
    });
  };
  let timers: NodeJS.Timeout[] = [];
  return {
    app,
    lastAccess,
    failures,
    metrics,
    async listen(port = config.port) {
      await app.listen({ host: config.host, port });
      if (config.metricsPort !== null)
        await metricsApp?.listen({
          host: config.metricsHost,
          port: config.metricsPort,
          listenTextResolver: (address) => `metrics are at ${address}/metrics`,
        });
      return (app.server.address() as AddressInfo).port;
    },
    startBackgroundWork() {
      timers = [setInterval(flush, COUNTS_MS), setInterval(chain, CHAIN_MS)];
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all([app.close(), metricsApp?.close()]);
      await flush();
      await chaining;
      await orWarn('audit_chain', chainAndLog(service, REACH.often, app.log));
      await service.close();
    },
  };
}

/** Stops the server and logs the reason. After STOP_MS the process exits, even if something is unfinished. */
export async function finish({ app, stop }: Pick<OpenServer, 'app' | 'stop'>, reason: string): Promise<void> {
  app.log.info(`${reason}: finishing pending requests`);
  setTimeout(() => process.exit(1), STOP_MS).unref();
  try {
    await stop();
    app.log.info('stopped');
  } catch (error) {
    app.log.error({ err: error }, 'the stop failed');
    process.exitCode = 1;
  }
}
