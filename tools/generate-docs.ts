import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cliPage } from './docs/cli-page.ts';
import { errorsPage } from './docs/errors-page.ts';
import { eventsPage } from './docs/events-page.ts';
import { settingsPage } from './docs/settings-page.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * The pages that `npm run docs` makes from the code: functions that return their text, by path.
 * `test/reference.test.ts` finds stale pages.
 */
export const PAGES: Readonly<Record<string, () => string>> = {
  'docs/reference/cli.md': cliPage,
  'docs/reference/errors.md': errorsPage,
  'docs/reference/events.md': eventsPage,
  'docs/reference/settings.md': settingsPage,
};

if (import.meta.main) {
  for (const [path, make] of Object.entries(PAGES)) writeFileSync(join(ROOT, path), make());
}
