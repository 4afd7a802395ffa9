import type { Command } from 'commander';
import { listAudit, listUsage } from '../../app/audit/audit.ts';
import { chainEntries, REACH } from '../../app/audit/audit-chain.ts';
import { findLicense } from '../../app/licenses/licenses.ts';
import { AUDIT_ACTIONS, auditFilterShape, usageFilterShape } from '../../domain/audit.ts';
import { integer, MAX_REFERENCE, oneOf, optional, reference, text } from '../../domain/fields.ts';
import type { Service } from '../../installation/service.ts';
import { Failure, failureOf } from '../failure.ts';
import { addShapeFlags, commaSeparated, type Meanings, readFlags, refuseFlags } from '../flags.ts';
import { addExamples, addNotes } from '../help.ts';
import { OWNER, reading } from '../open.ts';
import { answer } from '../output.ts';
import { presentAuditEntry } from '../present.ts';
import type { Run } from '../run.ts';
import { addCommonFlags, type Given } from '../settings.ts';
import { addVerify } from './audit-verify.ts';
import { auditTable, auditWords, countsTable } from './audit-words.ts';

const { subject, userId, from, to } = auditFilterShape;
const listShape = {
  action: optional(commaSeparated(oneOf(AUDIT_ACTIONS))),
  subject,
  license: optional(text({ min: 1, max: 255 })),
  apiKey: optional(reference()),
  user: userId,
  from,
  to,
  limit: optional(integer({ min: 1, max: 1000 })),
  before: optional(integer({ min: 1, max: MAX_REFERENCE })),
};
const LIMIT = 30;
const LIST_MEANINGS: Meanings<typeof listShape> = {
  action: ['names', 'Only these, separated by commas'],
  subject: ['kind:id', 'Only about this record, like license:12'],
  license: ['key', 'Only about this license, by key or hashed-{hash}; of a deleted one, use --subject'],
  apiKey: ['id', 'Only what was done with this API key'],
  user: ['id', 'Only what was done for this user'],
  from: ['date', 'Only from then on, UTC: "YYYY-MM-DD HH:MM:SS", YYYY-MM-DD or RFC 3339'],
  to: ['date', 'Only until then; a date without a time is its beginning'],
  limit: ['n', `At most this many, 1 to 1000 (default: ${LIMIT})`],
  before: ['id', 'Only entries with a lower id: the last one of the page before'],
};

export function addAuditCommands(program: Command, run: Run): void {
  const audit = program
    .command('audit')
    .description('See who changed what, and whether anybody tampered with it');
  addList(audit, run);
  addShow(audit, run);
  addVerify(audit, run);
  addCounts(audit, run);
}

function addList(audit: Command, run: Run): void {
  const command = audit.command('list').description('List changes, newest first');
  addShapeFlags(command, listShape, LIST_MEANINGS);
  addCommonFlags(command);
  addNotes(command, `Actions: ${AUDIT_ACTIONS.join(', ')}`.replace(/(.{60,90}?) /g, '$1\n  '));
  addExamples(command, [
    ['The newest', 'latchkey audit list'],
    ['What became of a license', 'latchkey audit list --license ACME-0001'],
    [
      'What an API key that has leaked has done, in a script',
      'latchkey audit list --api-key 3 --limit 1000 --json',
    ],
  ]);
  command.action((given: Given) => {
    const { license, apiKey, user, limit, before, ...rest } = readFlags(listShape, given);
    if (license !== null) refuseFlags(given, ['subject'], 'cannot be given together with --license');
    return reading(run, async (service) => {
      await chainEntries(service, REACH.most);
      const about = license === null ? rest.subject : await licenseNamed(service, license);
      const filter = { ...rest, subject: about, apiKeyId: apiKey, userId: user };
      const page = { before, limit: limit ?? LIMIT };
      const listed = await listAudit(service.store.read, filter, page, OWNER);
      if (!listed.ok) throw failureOf(listed.refusal);
      const { items, more } = listed.value;
      const next = more ? (items.at(-1)?.id ?? null) : null;
      answer(run, { entries: items.map(presentAuditEntry), next_before: next }, () => {
        if (items.length === 0) return 'No entries.';
        return next === null ? auditTable(items) : `${auditTable(items)}\nThere are more: --before ${next}`;
      });
    });
  });
}

async function licenseNamed({ store }: Service, named: string) {
  const found = await findLicense(store.read, named, OWNER);
  if (!found.ok) throw failureOf(found.refusal);
  return { type: 'license', id: found.value.id } as const;
}

function addShow(audit: Command, run: Run): void {
  const command = audit
    .command('show')
    .description('Show one change: every value before and after')
    .argument('<id>', 'The id of the entry, as "list" shows it');
  addCommonFlags(command);
  addExamples(command, [['All of an entry', 'latchkey audit show 12']]);
  command.action((named: string) =>
    reading(run, async ({ store }) => {
      const id = reference().read(named);
      const entry = id.ok ? await store.read.audit.find(id.value) : null;
      if (!entry)
        throw new Failure(1, 'audit_entry_not_found', `There is no entry ${JSON.stringify(named)}.`);
      answer(run, presentAuditEntry(entry), () => auditWords(entry));
    }),
  );
}

const COUNTS_MEANINGS: Meanings<typeof usageFilterShape> = {
  from: ['day', 'Only from this day on, UTC: YYYY-MM-DD'],
  to: ['day', 'Only until this day, itself included'],
};
/** Of a thousand years. */
const COUNTS_MAX = 1_100_000;

function addCounts(audit: Command, run: Run): void {
  const command = audit
    .command('counts')
    .description('Count activations, deactivations and validations over the API by day, newest first');
  addShapeFlags(command, usageFilterShape, COUNTS_MEANINGS);
  addCommonFlags(command);
  addExamples(command, [
    ['All days', 'latchkey audit counts'],
    ['March, in a script', 'latchkey audit counts --from 2027-03-01 --to 2027-03-31 --json'],
  ]);
  command.action((given: Given) => {
    const days = readFlags(usageFilterShape, given);
    return reading(run, async ({ store }) => {
      const counts = await listUsage(store.read, days, { offset: 0, limit: COUNTS_MAX }, OWNER);
      if (!counts.ok) throw failureOf(counts.refusal);
      const { items } = counts.value;
      answer(run, { counts: items }, () =>
        items.length === 0 ? 'Nothing was counted.' : countsTable(items),
      );
    });
  });
}
