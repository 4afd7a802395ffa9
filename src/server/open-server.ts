import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createLastAccess, type LastAccess } from '../app/api-keys/last-access.ts';
import { chainEntries, REACH } from '../app/audit/audit-chain.ts';
import type { Config } from '../config/config.ts';
import { createServer, type ServerOptions } from '../http/server.ts';
import { describeInstallation } from '../installation/describe.ts';
import type { Service } from '../installation/service.ts';
import { chainAndLog } from './housekeeping.ts';

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
  /** Listens at the host of the settings. @returns the port */
  listen(port?: number): Promise<number>;
  /** Writes counts to the database and chains the audit trail, until the server stops. */
  startBackgroundWork(): void;
  /** Answers the pending requests, writes the counts, and closes the service. */
  stop(): Promise<void>;
}

/** Creates the server of a service. It does not listen yet. */
export async function openServer(
  service: Service,
  config: Config,
  options: Pick<ServerOptions, 'logTo' | 'timeouts' | 'consoleFolder'>,
): Promise<OpenServer> {
  const lastAccess = createLastAccess(service.execute, service.clock);
  const app = await createServer(
    { ...service, lastAccess, installation: describeInstallation(config, service) },
    { ...config, ...options },
  );
  const orWarn = (work: Promise<unknown>) =>
    work.catch((error) => app.log.warn({ err: error }, 'housekeeping failed and will be tried again'));
  const flush = async () => {
    await Promise.all([
      orWarn(lastAccess.flush()),
      orWarn(service.usage.flush()),
      orWarn(service.lastSeen.flush()),
    ]);
  };
  // One at a time: with a slow database they would pile up.
  let chaining: Promise<unknown> | null = null;
  const chain = () => {
    chaining ??= orWarn(chainEntries(service, REACH.often)).finally(() => {
      chaining = null;
    });
  };
  let timers: NodeJS.Timeout[] = [];
  return {
    app,
    lastAccess,
    async listen(port = config.port) {
      await app.listen({ host: config.host, port });
      return (app.server.address() as AddressInfo).port;
    },
    startBackgroundWork() {
      timers = [setInterval(flush, COUNTS_MS), setInterval(chain, CHAIN_MS)];
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await app.close();
      await flush();
      await chaining;
      await orWarn(chainAndLog(service, REACH.often, app.log));
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
