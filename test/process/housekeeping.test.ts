import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HOUSEKEEPING_MS } from '../../src/server/housekeeping.ts';
import { serve } from '../../src/server/serve.ts';
import { temporaryFolder } from '../support/folder.ts';
import { storeConfig } from '../support/service.ts';
import { until } from '../support/until.ts';

test('housekeeping runs at the start and then every hour', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const dataDir = temporaryFolder();
  const incoming = join(dataDir, 'artifacts', 'incoming');
  mkdirSync(incoming, { recursive: true });
  /** Resolves when the files left by a dead process are gone. */
  const whenTidy = async (begin: () => unknown) => {
    const files = ['0123456789ab.lock', '0123456789ab-1'].map((name) => join(incoming, name));
    for (const file of files) writeFileSync(file, '');
    await begin();
    await until(() => !files.some(existsSync));
  };
  await whenTidy(() =>
    serve({
      config: { ...storeConfig(dataDir), port: 0, logLevel: 'silent' },
      warnings: [],
      print: async () => {},
    }),
  );
  await whenTidy(() => t.mock.timers.tick(HOUSEKEEPING_MS));
  process.emit('SIGTERM', 'SIGTERM');
});
