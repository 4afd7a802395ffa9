import { listAudit, listUsage } from '../../app/audit/audit.ts';
import { findLicense } from '../../app/licenses/licenses.ts';
import { AUDIT_ACTIONS, auditFilterShape, usageFilterShape } from '../../domain/audit.ts';
import { oneOf, optional, reference, text } from '../../domain/fields.ts';
import { define, group, listNote } from '../define.ts';
import { Failure, orFail } from '../failure.ts';
import { ALL, commaSeparated, DATE_FORMS, DAYS, flagsOf, LIMIT, newestFlags, refuseFlags } from '../flags.ts';
import { OWNER, opening } from '../open.ts';
import { answer, answerNewest } from '../output.ts';
import { presentAuditEntry } from '../present.ts';
import { grouped, table } from '../table.ts';
import { verify } from './audit-verify.ts';
import { AUDIT_COLUMNS, auditWords } from './audit-words.ts';

const { subject, userId, from, to } = auditFilterShape;

const list = define({
  name: 'list',
  description: 'List changes, newest first',
  flags: {
    ...flagsOf(
      {
        action: optional(commaSeparated(oneOf(AUDIT_ACTIONS))),
        subject,
        license: optional(text({ min: 1, max: 255 })),
        apiKey: optional(reference()),
        user: userId,
        from,
        to,
      },
      {
        action: ['names', 'Only these actions, separated by commas'],
        subject: ['kind:id', 'Only changes of this record, like license:12'],
        license: [
          'key',
          'Only changes of this license, by key or hashed-{hash}; if it was deleted, use --subject',
        ],
        apiKey: ['id', 'Only changes made with this API key'],
        user: ['id', 'Only changes made for this user'],
        from: ['date', `Start, UTC: ${DATE_FORMS}`],
        to: ['date', `End, UTC: ${DATE_FORMS}`],
      },
    ),
    ...newestFlags('entries'),
  },
  notes: listNote('Actions', AUDIT_ACTIONS),
  examples: {
    'The newest': 'latchkey audit list',
    'The history of a license': 'latchkey audit list --license ACME-0001',
    'What was done with an API key that has leaked, in a script':
      'latchkey audit list --api-key 3 --limit 1000 --json',
  },
  async action({ run, values: { license, apiKey, user, limit, before, ...values } }) {
    if (license !== null) refuseFlags(run.given, ['subject'], 'cannot be given together with --license');
    await opening(run, async (service) => {
      const filter = { ...values, apiKeyId: apiKey, userId: user };
      if (license !== null) {
        const { id } = orFail(await findLicense(service.store.read, license, OWNER));
        filter.subject = { type: 'license', id };
      }
      const page = { before, limit: limit ?? LIMIT };
      const { items, more } = orFail(await listAudit(service.store.read, filter, page, OWNER));
      const next = more ? (items.at(-1)?.id ?? null) : null;
      answerNewest(run, 'entries', { items, next }, presentAuditEntry, AUDIT_COLUMNS);
    });
  },
});

const show = define({
  name: 'show',
  description: 'Show one change: every value before and after',
  argument: ['<id>', 'Id of the entry, as shown by "list"'],
  examples: { 'All of an entry': 'latchkey audit show 12' },
  action: ({ run }, named) =>
    opening(run, async ({ store }) => {
      const id = reference().read(named);
      const entry = id.ok ? await store.read.audit.find(id.value) : null;
      if (!entry)
        throw new Failure(1, 'audit_entry_not_found', `There is no entry ${JSON.stringify(named)}.`);
      answer(run, presentAuditEntry(entry), () => auditWords(entry));
    }),
});

const counts = define({
  name: 'counts',
  description: 'Count activations, deactivations and validations through the API by day, newest first',
  flags: flagsOf(usageFilterShape, DAYS),
  examples: {
    'All days': 'latchkey audit counts',
    'March, in a script': 'latchkey audit counts --from 2027-03-01 --to 2027-03-31 --json',
  },
  action: ({ run, values }) =>
    opening(run, async ({ store }) => {
      const { items } = orFail(await listUsage(store.read, values, ALL, OWNER));
      answer(run, { counts: items }, () =>
        items.length === 0
          ? 'No counts.'
          : table(items, {
              'DAY (UTC)': 'day',
              WHAT: 'counted',
              COUNT: ({ count }) => grouped(count),
            }),
      );
    }),
});

export const auditCommands = group('audit', 'See who changed what, and verify the audit trail', [
  ...[list, show, verify, counts],
]);
