import { open, writeFile } from 'node:fs/promises';
import { moveIn as moveShopIn } from '../../app/moving/move-in.ts';
import { type Config, SETTINGS } from '../../config/config.ts';
import { toDatetime } from '../../domain/datetime.ts';
import { optional, text } from '../../domain/fields.ts';
import { type MoveTarget, withMoveTarget } from '../../installation/moving-in.ts';
import type { Service } from '../../installation/service.ts';
import { PLUGINS, type Plugin, type Shop } from '../../wordpress/shop.ts';
import { define } from '../define.ts';
import { Failure, foreseen } from '../failure.ts';
import { flagsOf, path, toggle } from '../flags.ts';
import { interruptible } from '../interrupt.ts';
import { noteWhatWasMade, OWNER } from '../open.ts';
import { answer, note } from '../output.ts';
import { showProgress } from '../progress.ts';
import type { Run } from '../run.ts';
import { settingsOf } from '../settings.ts';
import { printable } from '../table.ts';
import { endLines, reportLines, reportValue } from './move-report.ts';
import { CONSTANTS, givenSecrets } from './plugin-secrets.ts';

const NAMES: Record<Plugin, string> = {
  dlm: 'Digital License Manager',
  lmfwc: 'License Manager for WooCommerce',
};

export const moveIn = define({
  name: 'move-in',
  description: 'Move the licenses of a WordPress shop in: all of them, or none',
  argument: ['<plugin>', `dlm (${NAMES.dlm}) or lmfwc (${NAMES.lmfwc})`, PLUGINS],
  flags: {
    ...flagsOf(
      {
        database: optional(text({ min: 1, max: 4_096 })),
        dump: path,
        files: path,
        prefix: optional(text({ min: 1, max: 64 })),
      },
      {
        database: [
          'url',
          'Database of the shop: mysql://user@host/database; a password goes into the environment',
        ],
        dump: ['file', 'Dump of that database instead: .sql or .sql.gz'],
        files: [
          'folder',
          "The plugin's folder with defuse.txt and secret.txt (wp-content/uploads/dlm-files)",
        ],
        prefix: ['text', 'Prefix of the tables, if the database has several (wp_)'],
      },
    ),
    dryRun: toggle('Change nothing, and report what would be done'),
    deleteGone: toggle('Also delete records that were moved in, and that the shop has deleted since'),
    withoutHashes: toggle('Move even if hashed-… addresses of the shop will not work here'),
    ...flagsOf({ report: path }, { report: ['file', 'Write the whole report to a file, as JSON'] }),
  },
  notes: `A second run takes only what has changed in the shop since, so a shop can move with minutes of
downtime. An interrupted run changes nothing; the next one resumes it.
${SETTINGS.moveInDatabase.env} may hold the address of the database with its password.
${CONSTANTS} may hold the contents of defuse.txt
and secret.txt. docs/operate/moving.md describes every step.`,
  examples: {
    'See what a dump holds': 'latchkey move-in dlm --dump shop.sql.gz --files ./dlm-files --dry-run',
    'Move in from a dump': 'latchkey move-in dlm --dump shop.sql.gz --files ./dlm-files',
    'From the live database, with the password in the environment':
      'LATCHKEY_MOVE_IN_DATABASE=mysql://reader:…@db/shop latchkey move-in lmfwc --files ./lmfwc-files',
  },
  async action({ run, values }, named) {
    const plugin = PLUGINS.find((one) => one === named.toLowerCase());
    if (!plugin) throw new Failure(2, 'invalid_value', `<plugin> must be one of: ${PLUGINS.join(', ')}.`);
    const config = settingsOf(run);
    const source = sourceOf(run, values, config);
    const secrets = await givenSecrets(plugin, values.files, config);
    if (!secrets) throw new Failure(2, 'invalid_value', `--files is required, or ${CONSTANTS}.`);
    // A report that cannot be written must not stop the command after the move.
    if (values.report !== null) await (await open(values.report, 'a', 0o600)).close();
    const options = {
      dryRun: values.dryRun === true,
      deleteGone: values.deleteGone === true,
      withoutHashes: values.withoutHashes === true,
    };
    await interruptible(run, 'nothing was moved; run it again to go on', async (signal) => {
      // Loaded on demand: no other command needs a MySQL client.
      const { openShop } = await import('../../wordpress/open-shop.ts');
      const onProgress = (part: number, records: number | null = null) =>
        showProgress(run, 'records', part, records);
      const what = { plugin, secrets, ...source, now: toDatetime(Date.now()) };
      const shop = await openShop(what, signal, onProgress).catch((error) => unreadable(error, signal));
      try {
        const use = async ({ service, keepsHashes }: MoveTarget) => {
          const readable = withFailures(shop, signal);
          const report = await moveShopIn(service, readable, { ...options, signal, onProgress }, OWNER);
          const value = { dry_run: options.dryRun, keeps_hashes: keepsHashes, ...reportValue(report) };
          if (values.report !== null) await writeFile(values.report, `${JSON.stringify(value, null, 2)}\n`);
          answer(run, value, () => [
            ...reportLines(report),
            ...endLines(report, { ...options, keepsHashes, file: values.report }),
          ]);
        };
        const onOpened = (service: Service) => noteWhatWasMade(run, service, config);
        await withMoveTarget(config, shop, { ...options, onOpened }, OWNER, use);
      } finally {
        await shop.close();
      }
    });
  },
});

/** Returns where to read the shop from. @throws Failure */
function sourceOf(
  run: Run,
  { database, dump, prefix }: { database: string | null; dump: string | null; prefix: string | null },
  { moveInDatabase }: Config,
) {
  if (database !== null && dump !== null)
    throw new Failure(2, 'invalid_value', '--database and --dump cannot be given together.');
  if (dump !== null) return { from: { dump }, prefix };
  if (database !== null && URL.parse(database)?.password)
    note(
      run,
      `The password in --database was visible to every user of this machine: next time use ${SETTINGS.moveInDatabase.env}, and change it.`,
    );
  const url = database ?? moveInDatabase;
  if (url === null)
    throw new Failure(
      2,
      'invalid_value',
      `--dump is required, or --database, or ${SETTINGS.moveInDatabase.env}.`,
    );
  return { from: { database: url }, prefix };
}

/** Blames the environment if a shop cannot be read: the dump, the database, or its address. @throws Failure */
function unreadable(error: unknown, signal: AbortSignal): never {
  if (signal.aborted) throw error;
  const { message } = foreseen(error) ?? (error as Error);
  const reason = printable(message).replace(/[.?]$/, '');
  throw new Failure(3, 'shop_unreadable', `The shop cannot be read: ${reason}. Nothing was moved.`);
}

const withFailures = (shop: Shop, signal: AbortSignal): Shop => ({
  ...shop,
  async *records(...values) {
    try {
      yield* shop.records(...values);
    } catch (error) {
      unreadable(error, signal);
    }
  },
});
