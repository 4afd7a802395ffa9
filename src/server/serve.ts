import { type BackupSchedule, scheduleBackups } from './backup-schedule.ts';
import { createHousekeeper, HOUSEKEEPING_MS } from './housekeeping.ts';
import { createLogOutput, holdBack } from './log-output.ts';
import { finish, openServer } from './open-server.ts';
import { onSignals } from './signals.ts';
import { completeStart, logStart, prepareStart, type ServerStart } from './start.ts';

/** Serves in this process: opens the service, listens, prints the address, and shuts down on a signal. */
export async function serve({ config, warnings, print }: ServerStart): Promise<void> {
  const { service, warnings: more } = await prepareStart(config, print);
  const output = holdBack(createLogOutput());
  const server = await openServer(service, config, { logTo: output });
  const { app, stop, failures } = server;
  logStart(app.log, service, [...warnings, ...more]);

  const tidy = createHousekeeper(service, config, app.log, { failures });
  const timer = setInterval(tidy, HOUSEKEEPING_MS);
  // The first signal shuts down gracefully, a later one exits at once.
  let stopping = false;
  let backups: BackupSchedule | null = null;
  const start = async () => {
    const port = await server.listen();
    await print(await completeStart(service, config, port));
    output.release();
    // Last: beside it the start would need another connection, which a busy database may not give in time.
    server.startBackgroundWork();
  };
  const started = start();
  const stopAll = async () => {
    await Promise.allSettled([started]);
    const stopped = stop();
    await Promise.allSettled([stopped, backups?.stop()]);
    await stopped;
  };
  const onSignal = onSignals(
    (signal: NodeJS.Signals) => {
      stopping = true;
      clearInterval(timer);
      void finish({ app, stop: stopAll }, signal);
    },
    () => process.exit(1),
  );
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);

  await started;
  if (stopping) return;
  void tidy();
  backups = scheduleBackups(config, app.log, { failures });
}
