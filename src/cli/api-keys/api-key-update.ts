import type { Command } from 'commander';
import { hashCredential } from '../../app/api-keys/credentials.ts';
import { API_KEY_DEFAULTS, endProblem } from '../../domain/api-key.ts';
import { toDatetime } from '../../domain/datetime.ts';
import { withDefaults } from '../../domain/fields.ts';
import { inWords } from '../../words/problems.ts';
import { failureOf, invalidValues } from '../failure.ts';
import { addChangeFlags, readChanges, refuseNoChange } from '../flags.ts';
import { addExamples, addNotes } from '../help.ts';
import { changing, OWNER } from '../open.ts';
import { answer } from '../output.ts';
import { presentApiKey } from '../present.ts';
import type { Run } from '../run.ts';
import { addCommonFlags, type Given, settingsOf } from '../settings.ts';
import { API_KEY_MEANINGS, apiKeyFlagShape, ENDPOINTS_NOTE } from './api-key-flags.ts';
import { findApiKey, knownKey, NAMED } from './api-key-named.ts';

export function addUpdate(apiKey: Command, run: Run): void {
  const command = apiKey
    .command('update')
    .description('Change what an API key may do; on a running server it holds from then on')
    .argument('<key>', NAMED);
  addChangeFlags(command, apiKeyFlagShape, API_KEY_MEANINGS);
  addCommonFlags(command);
  addNotes(command, ENDPOINTS_NOTE);
  addExamples(command, [
    ['Another product for a shop', 'latchkey api-key update 3 --products 7,8'],
    ['For all products, and without an end', 'latchkey api-key update 3 --clear products,expires'],
  ]);
  command.action((named: string, given: Given) => {
    const { expires: expiresAt, ...flags } = readChanges(apiKeyFlagShape, given);
    const changes = withDefaults(
      { ...flags, ...(expiresAt !== undefined && { expiresAt }) },
      API_KEY_DEFAULTS,
    );
    refuseNoChange(changes);
    const { consumerKey } = settingsOf(run).config;
    const configuredKey = consumerKey === null ? null : hashCredential(consumerKey);
    return changing(run, async ({ execute, store, clock }) => {
      const expires = endProblem(changes.expiresAt ?? null, toDatetime(clock()));
      if (expires !== null) throw invalidValues({ expires: inWords(expires) });
      const { id, keyEnding } = await findApiKey(store.read, named);
      const changed = await execute('update-api-key', { id, changes, configuredKey }, OWNER);
      if (!changed.ok) throw failureOf(changed.refusal);
      const record = presentApiKey(await knownKey(store.read, id));
      const words = `API key ${id}, ending in ${keyEnding}, is changed: that holds from now on.`;
      answer(run, record, () => words);
    });
  });
}
