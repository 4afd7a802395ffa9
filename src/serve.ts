import type { Config } from './config.ts';
import { createHousekeeper, HOUSEKEEPING_MS } from './housekeeping.ts';
import { createLogOutput } from './log-output.ts';
import { finish, openServer, portOf } from './open-server.ts';
import { completeStart, prepareStart } from './starting.ts';

/** The only process: opens, listens, says where, and closes in order when it is told to stop. */
export async function serve(
  config: Config,
  warnings: readonly string[],
  print: (text: string) => void,
): Promise<void> {
  const { service, warnings: more } = await prepareStart(config, print);
  const { app, stop } = await openServer(service, config, createLogOutput());
  for (const warning of [...warnings, ...more]) app.log.warn(warning);

  const tidy = createHousekeeper(service, config, app.log);
  const timer = setInterval(tidy, HOUSEKEEPING_MS);
  // The first signal ends in order, a second one at once.
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1);
    stopping = true;
    clearInterval(timer);
    void finish({ app, stop }, signal);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);

  await app.listen({ host: config.host, port: config.port });
  print(await completeStart(service, config, portOf(app)));
  void tidy();
}
