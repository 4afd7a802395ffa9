import { type BackupSchedule, scheduleBackups } from './backup-schedule.ts';
import { createHousekeeper, HOUSEKEEPING_MS } from './housekeeping.ts';
import { createLogOutput } from './log-output.ts';
import { finish, openServer } from './open-server.ts';
import { completeStart, prepareStart, type ServerStart } from './start.ts';

/** Serves in this process: opens the service, listens, prints the address, and shuts down on a signal. */
export async function serve({ config, warnings, print }: ServerStart): Promise<void> {
  const { service, warnings: more } = await prepareStart(config, print);
  const server = await openServer(service, config, { logTo: createLogOutput() });
  const { app, stop, failures } = server;
  for (const warning of [...warnings, ...more]) app.log.warn(warning);

  const tidy = createHousekeeper(service, config, app.log, { failures });
  const timer = setInterval(tidy, HOUSEKEEPING_MS);
  // The first signal shuts down gracefully, a second one exits at once.
  let stopping = false;
  let backups: BackupSchedule | null = null;
  const stopAll = async () => {
    const stopped = stop();
    await Promise.allSettled([stopped, backups?.stop()]);
    await stopped;
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1);
    stopping = true;
    clearInterval(timer);
    void finish({ app, stop: stopAll }, signal);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);

  const port = await server.listen();
  server.startBackgroundWork();
  print(await completeStart(service, config, port));
  void tidy();
  if (!stopping) backups = scheduleBackups(config, app.log, { failures });
}
