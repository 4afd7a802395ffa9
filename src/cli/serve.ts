import cluster from 'node:cluster';
import { define, listNote } from './define.ts';
import { FLAGS, SECRETS, validSettings } from './settings.ts';

export const serve = define({
  name: 'serve',
  description: 'Start the server; the first start creates the database and a first API key',
  settings: FLAGS,
  json: false,
  notes: `Secrets have no flags, only variables. A variable whose name ends in _FILE names a file that holds the secret.
${listNote('Secrets', SECRETS)}`,
  examples: {
    'On this machine, with all data in ./data': 'latchkey serve',
    'Behind a proxy that terminates TLS':
      'latchkey serve --data-dir /var/lib/latchkey --base-url https://licenses.example.com --trust-proxy 127.0.0.1',
  },
  async action({ run }) {
    // A worker gets its settings from the primary process: files of settings may have changed since the start.
    if (cluster.isWorker) return (await import('../server/worker.ts')).work();
    const { config, warnings } = validSettings(run);
    const print = (text: string) =>
      new Promise<void>((resolve) => run.io.stdout.write(`${text}\n`, () => resolve()));
    const start = { config, warnings, print };
    // Loaded on demand: the server's libraries would take most of the time of a short command.
    return config.workers === 1
      ? (await import('../server/serve.ts')).serve(start)
      : (await import('../server/primary.ts')).serveByWorkers(start);
  },
});
