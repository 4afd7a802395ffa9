import { runCli } from './cli/program.ts';

// A primary process whose workers fail to start sets `process.exitCode` itself.
process.exitCode = (await runCli(process.argv.slice(2), process)) || process.exitCode;
// A server that could not listen keeps its database open, which would keep the process alive.
if (process.exitCode) process.exit();
