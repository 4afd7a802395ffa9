import { runCli } from './cli/program.ts';
import { VERSION } from './config/version.ts';
import { inspectServer, withoutPassword } from './installation/engines.ts';
import { openMove } from './installation/moving.ts';
import { openRotation } from './installation/rotating.ts';
import {
  DatabaseMissing,
  databaseFile,
  MasterKeyMissing,
  openArtifacts,
  openService,
  setUpService,
} from './installation/service.ts';
import { MasterKeyUnreadable, masterKeyFile, readMasterKey } from './store/keys/master-key.ts';
import { inspectSqlite } from './store/sqlite/inspect.ts';
import { WrongMasterKey } from './store/store.ts';

const SETUP_FAULTS = [DatabaseMissing, MasterKeyMissing, MasterKeyUnreadable, WrongMasterKey];

const code = await runCli(process.argv.slice(2), {
  version: VERSION,
  // Loaded when it is wanted: the libraries of the server are most of the time that a short command takes.
  serve: async (start) =>
    start.config.workers === 1
      ? (await import('./server/serve.ts')).serve(start)
      : (await import('./server/primary.ts')).serveByWorkers(start),
  openService,
  openMove,
  openRotation,
  backups: async () => (await import('./installation/backing-up.ts')).backups,
  setUpService,
  isSetupFault: (error) => SETUP_FAULTS.some((fault) => error instanceof fault),
  databaseFile,
  masterKeyFile,
  readMasterKey,
  inspectFile: inspectSqlite,
  inspectServer,
  databaseName: ({ databaseUrl }) => withoutPassword(String(databaseUrl)),
  openArtifacts,
});
// A server that could not listen still holds its database open, which would keep the process.
if (code !== 0) process.exit(code);
