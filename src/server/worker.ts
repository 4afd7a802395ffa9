import cluster from 'node:cluster';
import type { Config } from '../config/config.ts';
import { openService } from '../installation/service.ts';
import { createHousekeeper } from './housekeeping.ts';
import { createLogOutput, type LogOutput } from './log-output.ts';
import { finish, openServer } from './open-server.ts';

/** What a worker says to the primary process when it listens. */
export interface Listening {
  port: number;
}
/** What the primary process says to one of the workers. */
export type Order = 'keep house';

/** One of several processes that serve. The primary process has prepared everything, and says when to keep house. */
export async function work(config: Config): Promise<void> {
  const service = await openService(config, { mustExist: true });
  const server = await openServer(service, config, { logTo: signed(createLogOutput()) });
  const { app } = server;

  // A signal may come twice, from the terminal to all processes and from the primary: that is no second one.
  let stopping = false;
  const stop = async (reason: string) => {
    if (stopping) return;
    stopping = true;
    await finish(server, reason);
    if (process.connected) process.disconnect?.();
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  // Without the primary nobody would end this process. Node.js would, but at once, unless it is told that this is meant.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  process.on('disconnect', () => stop('the primary process is gone'));

  const tidy = createHousekeeper(service, config, app.log);
  const port = await server.listen();
  server.startBackgroundWork();
  process.on('message', (order: Order) => {
    if (order === 'keep house' && !stopping) void tidy();
  });
  process.send?.({ port } satisfies Listening);
}

/** Each line of the log says which process has written it. */
const signed = (output: LogOutput) => ({
  write: (line: string) => output.write(`{"pid":${process.pid},${line.slice(1)}`),
});
