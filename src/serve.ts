import type { FastifyInstance } from 'fastify';
import { makeCredentials } from './app/credentials.ts';
import { createLastAccess } from './app/last-access.ts';
import { SYSTEM } from './app/set-up.ts';
import type { Config } from './config.ts';
import { HOUSEKEEPING_MS, keepHouse } from './housekeeping.ts';
import { createServer } from './http/server.ts';
import { createLogOutput } from './log-output.ts';
import { openService, setUpService } from './service.ts';
import { VERSION } from './version.ts';
import { masterKeyNotice, welcome } from './welcome.ts';

const LAST_ACCESS_MS = 10_000;
/** What is under way at a stop has this long, in milliseconds. */
const STOP_MS = 25_000;

/** The process: opens, listens, says where, and closes in order when it is told to stop. */
export async function serve(
  config: Config,
  warnings: readonly string[],
  print: (text: string) => void,
): Promise<void> {
  const service = await openService(config);
  if (service.madeMasterKey) print(masterKeyNotice(service.madeMasterKey, config));
  const lastAccess = createLastAccess(service.execute, service.clock, SYSTEM);
  const app = await createServer(
    { ...service, lastAccess },
    { ...config, version: VERSION, logTo: createLogOutput() },
  );
  const { configuredIsRevoked } = await setUpService(service, config, null);
  for (const warning of warnings) app.log.warn(warning);
  if (configuredIsRevoked)
    app.log.warn('LATCHKEY_CONSUMER_KEY was revoked earlier and is refused; set another');

  const flush = () =>
    lastAccess
      .flush()
      .catch((error) => app.log.warn({ err: error }, 'housekeeping failed and will be tried again'));
  const tidy = () => keepHouse(service, config, app.log);
  const timers = [setInterval(flush, LAST_ACCESS_MS), setInterval(tidy, HOUSEKEEPING_MS)];
  stopOnSignal(app, async () => {
    for (const timer of timers) clearInterval(timer);
    await app.close();
    await flush();
    await service.close();
  });

  await app.listen({ host: config.host, port: config.port });
  // Only now: a start that cannot listen must not make the first API key, which is shown but once.
  const first = makeCredentials();
  const given = config.consumerKey !== null;
  const madeFirst = !given && (await setUpService(service, config, first)).madeFirst;
  print(welcome({ config, port: portOf(app), first: madeFirst ? first : null }));
  void tidy();
}

export function portOf(app: FastifyInstance): number {
  const address = app.server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** The first signal ends in order, a second one, or too long a wait, at once. */
function stopOnSignal(app: FastifyInstance, stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1);
    stopping = true;
    app.log.info(`${signal}: finishing what is under way`);
    setTimeout(() => process.exit(1), STOP_MS).unref();
    stop().then(
      () => app.log.info('stopped'),
      (error) => {
        app.log.error({ err: error }, 'the stop failed');
        process.exitCode = 1;
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
