import { runCli } from './cli/program.ts';

const code = await runCli(process.argv.slice(2), process);
// A server that could not listen keeps its database open, which would keep the process alive.
if (code !== 0) process.exit(code);
