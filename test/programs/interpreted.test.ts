import { after, describe, test } from 'node:test';
import { startService } from '../support/service.ts';
import { checkProgram, everyOutcome } from './cases.ts';
import { INTERPRETED } from './languages.ts';

const api = await startService({ after });

// At once: each waits for its timeout.
describe('the programs of docs/integrate/ tell all outcomes apart', { concurrency: true }, () => {
  for (const language of INTERPRETED) {
    test(language.name, (t) => checkProgram(t, api, language, [everyOutcome]));
  }
});
