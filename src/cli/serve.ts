import type { Command } from 'commander';
import { addExamples } from './help.ts';
import type { Run } from './run.ts';
import { addAllSettings, settingsOf } from './settings.ts';

export function addServe(program: Command, run: Run): void {
  const command = program
    .command('serve')
    .description('Start the server; at the first start makes the database and a first API key');
  addAllSettings(command);
  addExamples(command, [
    ['On this machine, with everything in ./data', 'latchkey serve'],
    [
      'Behind a proxy that ends TLS',
      'latchkey serve --data-dir /var/lib/latchkey --base-url https://licenses.example.com --trust-proxy 127.0.0.1',
    ],
  ]);
  command.action(async () => {
    const { config, warnings } = settingsOf(run);
    const start = {
      config,
      warnings,
      print: (text: string) => void run.io.stdout.write(`${text}\n`),
    };
    // Loaded when it is wanted: the libraries of the server are most of the time that a short command takes.
    return config.workers === 1
      ? (await import('../server/serve.ts')).serve(start)
      : (await import('../server/primary.ts')).serveByWorkers(start);
  });
}
