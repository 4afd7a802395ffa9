import type { Config } from '../../config/config.ts';
import { VERSION } from '../../config/version.ts';
import { HOUR_MS } from '../../domain/datetime.ts';
import { FULL_BYTES, MIB, sizeWords } from '../../installation/disk-space.ts';
import { planUpgrade, type UpgradePlan } from '../../installation/upgrade.ts';
import { define } from '../define.ts';
import { toggle } from '../flags.ts';
import { answer, explained } from '../output.ts';
import { BACKUPS, settingsOf } from '../settings.ts';
import { grouped } from '../table.ts';
import { type Check, type Checks, fail, ok, warn, warnIf, words } from './doctor-check.ts';
import { checkMasterKey, lookForMasterKey } from './doctor-files.ts';

export const upgradeCheck = define({
  name: 'upgrade-check',
  description: 'Say what would happen to the database if this version started on it; changes nothing',
  flags: {
    withoutBackup: toggle(
      'Do not require a backup of the last 24 hours, because you make backups in another way',
    ),
  },
  settings: BACKUPS,
  notes: `Run it with the new version, before its first start; the old version may be running.
The exit code is 1 if a check fails: the master key is missing, a later version has migrated the
database, the disk is too small, or migrations are pending and there is no readable backup of the last
24 hours. It is 0 if there are at most warnings.`,
  examples: {
    'With the settings of this shell': 'latchkey upgrade-check',
    'Before a start, in a script': 'latchkey upgrade-check && latchkey migrate',
    'The pending migrations': "latchkey upgrade-check --json | jq '.migrations'",
  },
  async action({ run, values }) {
    const config = settingsOf(run);
    const plan = await planUpgrade(config);
    const examined = Object.entries(examine(config, plan, values.withoutBackup === true));
    const checks = examined.map(([name, check]) => ({ name, ...check }));
    const isFine = checks.every(({ status }) => status !== 'fail');
    answer(run, { ok: isFine, ...inJson(plan), checks }, () =>
      explained(
        run,
        ...plan.pending.map(({ name, note }) => `${name}: ${note}`),
        ...(plan.pending.length > 0 ? [''] : []),
        ...examined.map(words),
        '',
        isFine ? 'This version may start on the database.' : 'Do not start this version yet.',
      ),
    );
    if (!isFine) run.exitCode = 1;
  },
});

const inJson = (plan: UpgradePlan) => ({
  database: plan.database,
  from: plan.migratedBy,
  to: VERSION,
  migrations: plan.pending.map(({ name, note, indexed, rewritten, isBreaking }) => ({
    name,
    note,
    index_entries: indexed,
    rewritten_rows: rewritten,
    breaking: isBreaking,
  })),
  unknown_migrations: plan.unknown,
  start_seconds: Math.ceil(plan.startSeconds),
  rewrite_seconds: Math.ceil(plan.rewriteSeconds),
  start_bytes: plan.startBytes,
  rewrite_bytes: plan.rewriteBytes,
  free_bytes: plan.freeBytes,
  backup: plan.backup && { file: plan.backup.path, begun_at: plan.backup.begunAt },
});

const examine = (config: Config, plan: UpgradePlan, withoutBackup: boolean): Checks => ({
  'Master key': checkMasterKey(lookForMasterKey(config), null, true),
  Version: checkMigratedBy(plan),
  Migrations: checkMigrations(plan),
  ...(plan.rewritten > 0 && { Conversion: checkConversion(plan) }),
  'Disk space': checkSpace(plan),
  ...(!withoutBackup && { Backup: checkNewestBackup(plan, Date.now()) }),
  'Going back': checkWayBack(plan),
});

function checkMigratedBy({ database, migratedBy, unknown }: UpgradePlan): Check {
  const by = migratedBy === null ? 'an earlier version' : `version ${migratedBy}`;
  if (unknown.length === 0) return ok(`${database}, migrated by ${by}; this is ${VERSION}`);
  return fail(
    `${database} was migrated by ${migratedBy === VERSION ? 'a later version' : by}, which is later than this one (${VERSION}): ${unknown.join(', ')}`,
    'Install that version or a later one. To go back to this one, see docs/operate/upgrading.md.',
  );
}

function checkMigrations({ pending, startSeconds, isRewriteDue, kind }: UpgradePlan): Check {
  const rewrite = isRewriteDue && kind === 'sqlite' ? '; the start rewrites the file, once' : '';
  if (pending.length === 0) return ok(`none is pending${rewrite}`);
  const others = kind === 'postgres' && startSeconds >= 1 ? ', in which other nodes may answer 503' : '';
  return ok(`${pending.length} pending; the start takes ${duration(startSeconds)} longer${others}${rewrite}`);
}

function checkConversion({ rewritten, rewriteSeconds, kind }: UpgradePlan): Check {
  const message = `after the start, the server converts about ${grouped(rewritten)} rows beside traffic, in ${duration(rewriteSeconds)}`;
  return kind === 'sqlite'
    ? warn(message, 'The start after that rewrites the file. See docs/operate/upgrading.md.')
    : warn(message, 'Run "vacuum full" on these tables afterwards. See docs/operate/upgrading.md.');
}

export function checkSpace({ startBytes, rewriteBytes, freeBytes }: UpgradePlan): Check {
  const needed = startBytes + rewriteBytes;
  if (freeBytes === null) {
    return warnIf(
      needed > FULL_BYTES,
      `PostgreSQL needs about ${sizeWords(needed)}, and does not tell how much is free`,
      'Check the disk of its server.',
    );
  }
  const message = `${needed < MIB ? 'less than 1 MiB' : `about ${sizeWords(needed)}`} needed, ${sizeWords(freeBytes)} free`;
  if (freeBytes >= needed + FULL_BYTES) return ok(message);
  return fail(message, `Free some space: ${sizeWords(FULL_BYTES)} must be left afterwards.`);
}

const RECENT_HOURS = 24;

export function checkNewestBackup({ pending, backup, backupFolder }: UpgradePlan, now: number): Check {
  const bad = pending.length > 0 ? fail : warn;
  const advice = 'Make one now, with the version that runs: latchkey backup';
  if (!backup) return bad(`there is none in ${backupFolder}`, advice);
  if (backup.problem !== null)
    return bad(`the newest, ${backup.path}, cannot be read: ${backup.problem}`, advice);
  const hours = (now - backup.when) / HOUR_MS;
  const message = `the newest, ${backup.path}, was begun ${hours.toFixed(1)} hours ago`;
  return hours <= RECENT_HOURS ? ok(message) : bad(message, advice);
}

function checkWayBack({ pending }: UpgradePlan): Check {
  const breaking = pending.filter(({ isBreaking }) => isBreaking).map(({ name }) => name);
  if (breaking.length === 0)
    return ok(
      pending.length === 0
        ? 'the database stays as it is'
        : 'the version before this one keeps working on the migrated database',
    );
  return warn(
    `no earlier version works on the database after ${breaking.join(', ')}`,
    'Stop all servers of earlier versions first. To go back, restore the backup from before.',
  );
}

function duration(seconds: number): string {
  if (seconds < 1) return 'less than a second';
  if (seconds < 100) return `about ${Math.ceil(seconds)} s`;
  return `about ${Math.ceil(seconds / 60)} minutes`;
}
