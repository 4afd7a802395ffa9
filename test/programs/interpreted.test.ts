import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startService } from '../support/service.ts';
import { checkProgram, damagedStates, everyOutcome, readOnlyHome } from './cases.ts';
import { COMPILED, INTERPRETED, programOf } from './languages.ts';
import { checkVerifier, INTERPRETED_VERIFIERS } from './webhook-verifiers.ts';

test('the programs of docs/integrate/ have 30 to 60 lines', () => {
  for (const language of [...INTERPRETED, ...COMPILED]) {
    const lines = programOf(language).match(/^.*\S/gm)?.length ?? 0;
    assert.ok(lines >= 30 && lines <= 60, `${language.name}: ${lines}`);
  }
});

const api = await startService({ after });

// Concurrently, because each waits for its timeout.
describe('the programs of docs/integrate/ distinguish all outcomes', { concurrency: true }, () => {
  for (const language of INTERPRETED) {
    test(language.name, (t) => checkProgram(t, api, language, [everyOutcome, damagedStates, readOnlyHome]));
  }
});

describe('the verifiers of docs/integrate/webhooks.md accept what Latchkey has signed and nothing else', () => {
  for (const verifier of INTERPRETED_VERIFIERS) test(verifier.name, () => checkVerifier(verifier));
});
