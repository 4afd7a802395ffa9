import type { Command } from 'commander';
import { addExamples } from './help.ts';
import type { Host } from './host.ts';
import { addAllSettings, flagsAsVariables, type Given, settingsOf } from './settings.ts';

export function addServe(program: Command, host: Host): void {
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
  command.action((given: Given) => {
    const { config, warnings } = settingsOf(given);
    return host.serve({
      config,
      warnings,
      settings: flagsAsVariables(given),
      print: (text) => void process.stdout.write(`${text}\n`),
    });
  });
}
