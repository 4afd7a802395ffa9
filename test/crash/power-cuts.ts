import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '../support/postgres/cluster.ts';
import type { Installation } from './installation.ts';
import { KILLS, type Kill, killService, type Round } from './killer.ts';

/** Milliseconds within which the power is cut, unless the command ends earlier. */
const [BACKUP_MS, RESTORE_MS, ROTATE_MS] = [1_500, 2_000, 6_000];
/** Milliseconds for running processes to notice each step of a rotation. */
const SETTLE_MS = 1_500;

type Ended = Awaited<ReturnType<Installation['latchkey']>>;

const assertDone = ({ code, stdout, stderr }: Ended): void => assert.equal(code, 0, stdout + stderr);

/** Cuts the power while a command runs beside the service, or at the moment when it has ended. */
async function cutDuring(
  round: Round,
  ms: number,
  args: string[],
  env?: Record<string, string>,
): Promise<Ended> {
  const command = round.installation.latchkey([...args, '--json'], env);
  await Promise.race([command, pause(round.random.between(200, ms))]);
  await killService(round);
  round.killed(args[0] as string);
  return command;
}

const backupFolder = ({ dataDir }: Installation) => join(dataDir, 'backups');

/** Verifies that every file with the name of a backup is complete. */
async function verifyBackups(installation: Installation): Promise<void> {
  const folder = backupFolder(installation);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const files = names.filter((name) => name.endsWith('.tar')).map((name) => join(folder, name));
  if (files.length > 0) assertDone(await installation.latchkey(['backup', 'verify', ...files]));
}

async function backUp(round: Round): Promise<void> {
  const { installation } = round;
  const { code, stdout } = await cutDuring(round, BACKUP_MS, ['backup']);
  if (code === 0) assert.ok(existsSync(JSON.parse(stdout).file), `the backup file is missing: ${stdout}`);
  await verifyBackups(installation);
  rmSync(backupFolder(installation), { recursive: true, force: true });
}

/** A failed restore can be repeated, and a successful one is complete. */
async function restore(round: Round): Promise<void> {
  const { installation } = round;
  const { dataDir } = installation;
  const backup = await installation.latchkey(['backup', '--json']);
  assertDone(backup);
  const { file, tables } = JSON.parse(backup.stdout);
  const restored = join(dataDir, `restored-${randomUUID()}`);
  const env = { LATCHKEY_DATA_DIR: restored, LATCHKEY_DATABASE_URL: '' };
  const args = ['restore', file, '--master-key-file', join(dataDir, 'master.key')];
  const { code } = await cutDuring(round, RESTORE_MS, args, env);
  await verifyBackups(installation);
  if (code !== 0) {
    const again = await installation.latchkey(args, env);
    // The power was cut between the commit and the answer.
    if (!again.stderr.includes('it already has tables')) assertDone(again);
  }
  assertDone(await installation.latchkey(['doctor'], env));
  const { stdout } = await installation.latchkey(['license', 'list', '--json'], env);
  const { rows } = tables.find(({ name }: { name: string }) => name === 'licenses');
  assert.equal(JSON.parse(stdout).total, rows);
  for (const one of [backupFolder(installation), restored]) rmSync(one, { recursive: true, force: true });
}

/** The service starts with the current key file, and the rotation can be finished. */
async function rotate(round: Round): Promise<void> {
  const { installation } = round;
  const args = ['master-key', 'rotate', '--settle', String(SETTLE_MS)];
  await cutDuring(round, ROTATE_MS, args);
  await round.load.ended();
  await installation.start(1);
  assertDone(await installation.latchkey(args));
}

const named = (wanted: string) => KILLS.sqlite.find(({ name }) => name === wanted) as Kill;

/** These kills cut the power of the disk with the data directory. PostgreSQL is on another disk. */
export const POWER_CUTS: readonly Kill[] = [
  named('service'),
  { name: 'service and backup', workers: 1, strike: backUp },
  named('primary and workers together'),
  { name: 'service and rotation', workers: 1, strike: rotate },
  named('service and its next start'),
  { name: 'service and restore', workers: 1, strike: restore },
];
