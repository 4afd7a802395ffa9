import { lookup } from 'node:dns/promises';
import type { AddressInfo } from 'node:net';
import { chainEntries, REACH } from '../app/audit/audit-chain.ts';
import { createDeliveries } from '../app/events/deliver.ts';
import { tellAllExpiries } from '../app/events/expiries.ts';
import { oneAtATime } from '../app/one-at-a-time.ts';
import type { Config } from '../config/config.ts';
import { metricsServer } from '../http/metrics.ts';
import { createServer, type ServerOptions } from '../http/server.ts';
import { describeInstallation } from '../installation/describe.ts';
import type { Service } from '../installation/service.ts';
import { chainAndLog } from './housekeeping.ts';
import { type Job, noFailures, noteFailure } from './job-failures.ts';
import { openMetrics, wantsMetrics } from './metrics.ts';

/** Intervals in milliseconds: writing the counts, chaining the audit trail, sending events, looking for expired licenses. */
const COUNTS_MS = 10_000;
const CHAIN_MS = 1_000;
const EVENTS_MS = 500;
const EXPIRIES_MS = 60_000;
/**
 * The queue of connections that this process has not accepted yet; Linux caps it at `net.core.somaxconn`, 4,096. If the
 * queue is full, Linux drops the attempt. The client then retries after 1, 3 and 7 seconds, even if the server has long
 * been idle again.
 */
const BACKLOG = 4_096;
/** Milliseconds after which a stop is cut short. */
const STOP_MS = 25_000;

/** A server together with its service. */
export type OpenServer = Awaited<ReturnType<typeof openServer>>;

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
) {
  const installation = describeInstallation(config, service);
  const failures = noFailures();
  const metrics = wantsMetrics(config)
    ? await openMetrics(config, service, installation, failures, options.allMetrics)
    : null;
  const app = await createServer({ ...service, installation }, { ...config, ...options, metrics });
  const metricsApp = metrics && config.metricsPort !== null ? metricsServer(app.log, metrics) : null;
  const orWarn = (job: Job, work: Promise<unknown>) => work.catch(noteFailure(job, failures, app.log));
  const { lastAccess, usage, versions, lastSeen } = service;
  const flush = () =>
    Promise.all([lastAccess, usage, versions, lastSeen].map((one) => orWarn('usage_counts', one.flush())));
  const deliveries = createDeliveries(service, noteFailure('events', failures, app.log), (id, { state }) =>
    app.log.warn(
      { event: 'event_endpoint_stopped', endpoint: id, state },
      state === 'failing'
        ? 'nothing has reached this event endpoint for days: nothing more is sent to it until you enable it, but its events are kept'
        : 'the receiver of this event endpoint answered 410: it gets no events until you enable it',
    ),
  );
  const chain = oneAtATime(() => orWarn('audit_chain', chainEntries(service, REACH.often)));
  const deliver = oneAtATime(() => orWarn('events', deliveries.work()));
  const tell = oneAtATime(() => orWarn('expiries', tellAllExpiries(service.execute, config.expiringDays)));
  let timers: NodeJS.Timeout[] = [];
  return {
    app,
    /** Failures of background jobs, whoever runs them. */
    failures,
    /** Null if the settings do not turn metrics on. */
    metrics,
    /** Numbers new events and sends them. The background work calls it continuously. */
    deliveries,
    /** Listens on the configured hosts and ports. @returns the port of the server */
    async listen(port = config.port): Promise<number> {
      await app.listen({ host: await addressOf(config.host), port, backlog: BACKLOG });
      if (config.metricsPort !== null)
        await metricsApp?.listen({
          host: await addressOf(config.metricsHost),
          port: config.metricsPort,
          listenTextResolver: (address) => `metrics are at ${address}/metrics`,
        });
      return (app.server.address() as AddressInfo).port;
    },
    /** Starts to write counts, chain the audit trail, send events and look for expiries, until the server stops. */
    startBackgroundWork(): void {
      tell.start();
      timers = [
        setInterval(flush, COUNTS_MS),
        setInterval(chain.start, CHAIN_MS),
        setInterval(deliver.start, EVENTS_MS),
        setInterval(tell.start, EXPIRIES_MS),
      ];
    },
    /** Answers the pending requests, writes the counts, chains the audit trail, and closes the service. */
    async stop(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      await Promise.all([app.close(), metricsApp?.close(), deliveries.stop()]);
      await flush();
      await Promise.all([chain.running(), deliver.running(), tell.running()]);
      await orWarn('audit_chain', chainAndLog(service, REACH.often, app.log));
      await service.close();
    },
  };
}

/**
 * Returns the address of a host. Given the name localhost, Fastify would also listen on its other addresses, with servers that
 * lack our handlers, and would ignore it if the port is taken there.
 */
const addressOf = async (host: string): Promise<string> =>
  (await lookup(host, { order: 'ipv4first' })).address;

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
