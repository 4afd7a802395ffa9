import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createLastAccess, type LastAccess } from '../app/api-keys/last-access.ts';
import { chainEntries, REACH } from '../app/audit/audit-chain.ts';
import { SYSTEM } from '../app/people/set-up.ts';
import type { Config } from '../config/config.ts';
import { VERSION } from '../config/version.ts';
import { createServer, type ServerOptions } from '../http/server.ts';
import { describeInstallation } from '../installation/describe.ts';
import type { Service } from '../installation/service.ts';
import { chainAndLog } from './housekeeping.ts';

/** Milliseconds from one write of the counts to the next, and from one chaining of the audit trail to the next. */
const COUNTS_MS = 10_000;
const CHAIN_MS = 1_000;
/** Milliseconds that a stop may take. */
const STOP_MS = 25_000;

/** A server and the service that it serves. */
export interface OpenServer {
  app: FastifyInstance;
  /** Counts in memory. `startBackgroundWork` writes them to the database from time to time. */
  lastAccess: LastAccess;
  /** Listens at the address of the settings, or at another port of it. @returns the port */
  listen(port?: number): Promise<number>;
  /** Starts to write counts to the database and to chain the audit trail, until the server stops. */
  startBackgroundWork(): void;
  /** Answers the requests that have come, writes the counts, and closes the service. */
  stop(): Promise<void>;
}

/** Makes the server of a service. It does not listen yet. */
export async function openServer(
  service: Service,
  config: Config,
  options: Pick<ServerOptions, 'logTo' | 'timeouts' | 'consoleFolder'>,
): Promise<OpenServer> {
  const lastAccess = createLastAccess(service.execute, service.clock, SYSTEM);
  const app = await createServer(
    { ...service, lastAccess, installation: describeInstallation(config, service) },
    { ...config, ...options, version: VERSION },
  );
  const orWarn = (work: Promise<unknown>) =>
    work.catch((error) => app.log.warn({ err: error }, 'housekeeping failed and will be tried again'));
  const flush = async () => {
    await Promise.all([orWarn(lastAccess.flush()), orWarn(service.usage.flush())]);
  };
  // One after the other: where the database is slow, they must not pile up.
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

/** Stops the server for a reason that the log tells. After STOP_MS the process ends, whatever is unfinished. */
export async function finish({ app, stop }: Pick<OpenServer, 'app' | 'stop'>, reason: string): Promise<void> {
  app.log.info(`${reason}: finishing what is under way`);
  setTimeout(() => process.exit(1), STOP_MS).unref();
  try {
    await stop();
    app.log.info('stopped');
  } catch (error) {
    app.log.error({ err: error }, 'the stop failed');
    process.exitCode = 1;
  }
}
