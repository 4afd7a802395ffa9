import { after, describe, test } from 'node:test';
import { startService } from '../support/service.ts';
import { checkProgram, damagedStates, everyOutcome, readOnlyHome, unusualCases } from './cases.ts';
import { COMPILED, INTERPRETED } from './languages.ts';
import { COMPILED_VERIFIERS, checkVerifier, INTERPRETED_VERIFIERS } from './webhook-verifiers.ts';

const api = await startService({ after });

// One after the other, because they are compiled first.
describe('the programs of docs/integrate/', () => {
  for (const language of [...INTERPRETED, ...COMPILED]) {
    test(language.name, (t) =>
      checkProgram(t, api, language, [everyOutcome, unusualCases, damagedStates, readOnlyHome]),
    );
  }
});

describe('the verifiers of docs/integrate/webhooks.md', () => {
  for (const verifier of [...INTERPRETED_VERIFIERS, ...COMPILED_VERIFIERS])
    test(verifier.name, () => checkVerifier(verifier));
});
