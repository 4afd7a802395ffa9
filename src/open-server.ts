import type { FastifyInstance } from 'fastify';
import { createLastAccess } from './app/last-access.ts';
import { SYSTEM } from './app/set-up.ts';
import type { Config } from './config.ts';
import { createServer, type ServerOptions } from './http/server.ts';
import type { Service } from './service.ts';
import { VERSION } from './version.ts';

const LAST_ACCESS_MS = 10_000;
/** What is under way at a stop has this long, in milliseconds. */
const STOP_MS = 25_000;

/** A server that does not listen yet, and what closes it and its service in order. */
export interface OpenServer {
  app: FastifyInstance;
  stop(): Promise<void>;
}

/** Makes the server of a service. Until it is stopped, it writes down every ten seconds when API keys were last used. */
export async function openServer(
  service: Service,
  config: Config,
  logTo: ServerOptions['logTo'],
): Promise<OpenServer> {
  const lastAccess = createLastAccess(service.execute, service.clock, SYSTEM);
  const app = await createServer({ ...service, lastAccess }, { ...config, version: VERSION, logTo });
  const flush = () =>
    lastAccess
      .flush()
      .catch((error) => app.log.warn({ err: error }, 'housekeeping failed and will be tried again'));
  const timer = setInterval(flush, LAST_ACCESS_MS);
  return {
    app,
    async stop() {
      clearInterval(timer);
      await app.close();
      await flush();
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
