import type { FastifyInstance } from 'fastify';
import { createLastAccess } from '../app/api-keys/last-access.ts';
import { chainEntries, REACH } from '../app/audit/audit-chain.ts';
import { SYSTEM } from '../app/people/set-up.ts';
import type { Config } from '../config/config.ts';
import { VERSION } from '../config/version.ts';
import { createServer, type ServerOptions } from '../http/server.ts';
import { describeInstallation } from '../installation/describe.ts';
import type { Service } from '../installation/service.ts';
import { chainAndLog } from './housekeeping.ts';

/** Milliseconds between two flushes of write-behind values, and between two times that the audit trail is chained. */
const FLUSH_MS = 10_000;
const CHAIN_MS = 1_000;
/** What is under way at a stop has this long, in milliseconds. */
const STOP_MS = 25_000;

/** A server that does not listen yet, and what closes it and its service in order. */
export interface OpenServer {
  app: FastifyInstance;
  stop(): Promise<void>;
}

/** Makes the server of a service. Until it is stopped, it flushes write-behind values and chains the audit trail. */
export async function openServer(
  service: Service,
  config: Config,
  logTo: ServerOptions['logTo'],
): Promise<OpenServer> {
  const lastAccess = createLastAccess(service.execute, service.clock, SYSTEM);
  const app = await createServer(
    { ...service, lastAccess, installation: describeInstallation(config, service) },
    { ...config, version: VERSION, logTo },
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
  const timers = [setInterval(flush, FLUSH_MS), setInterval(chain, CHAIN_MS)];
  return {
    app,
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

export function portOf(app: FastifyInstance): number {
  const address = app.server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** Ends what is under way, for a reason that the log tells; after too long a wait the process ends as it is. */
export async function finish({ app, stop }: OpenServer, reason: string): Promise<void> {
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
