import { once } from 'node:events';
import { localAddress } from '../../config/config.ts';
import { define } from '../define.ts';
import { Failure } from '../failure.ts';
import { answer } from '../output.ts';
import { settingsOf } from '../settings.ts';

const TIMEOUT_MS = 5_000;

export const healthcheck = define({
  name: 'healthcheck',
  description: 'Ask the server on this machine whether it can serve, for the health check of a container',
  settings: ['host', 'port'],
  notes:
    'Asks /readyz. The exit code is 1 if the server does not answer or cannot serve. "latchkey doctor" finds\nout why.',
  examples: { 'In a Dockerfile': 'HEALTHCHECK CMD ["latchkey", "healthcheck"]' },
  async action({ run }) {
    const config = settingsOf(run);
    const url = `${localAddress(config, config.port)}/readyz`;
    // Not `fetch`, which refuses some ports; not imported, because an ESM import of `node:http` also loads undici.
    const { get } = process.getBuiltinModule('node:http');
    const asked = get(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const [response] = await once(asked, 'response').catch(({ message }) => {
      throw new Failure(1, 'unreachable', `${url} does not answer: ${message}.`);
    });
    response.resume();
    if (response.statusCode !== 200)
      throw new Failure(1, 'not_ready', `${url} answers ${response.statusCode}.`);
    answer(run, { status: 'ok' }, () => 'The server can serve.');
  },
});
