import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '../support/postgres/cluster.ts';
import { KILLS, type Kill, killService, type Round } from './killer.ts';

/** Milliseconds after which a command has ended for certain. */
const COMMAND_MS = 4_000;
/** Milliseconds that programs have to learn of a step of a rotation. */
const SETTLE_MS = 1_500;

type Ended = Awaited<ReturnType<Round['installation']['latchkey']>>;

/** Cuts the power at a command, or in the moment that it has ended. */
async function cutAt(round: Round, args: string[], env?: Record<string, string>): Promise<Ended> {
  const command = round.installation.latchkey(args, env);
  await Promise.race([command, pause(round.random.between(300, COMMAND_MS))]);
  round.killed(`power at ${args.slice(0, 2).join(' ')}`);
  await killService(round);
  await round.load.ended();
  return command;
}

const saysOk = ({ code, stdout, stderr }: Ended, what: string) =>
  assert.equal(code, 0, `${what}: ${stdout} ${stderr}`);

/** Every file with the name of a backup is whole; there is one after the command has said so. */
async function backUp(round: Round): Promise<void> {
  const { installation } = round;
  const folder = join(installation.dataDir, 'backups');
  const { code, stdout } = await cutAt(round, ['backup', '--json']);
  if (code === 0) assert.ok(existsSync(JSON.parse(stdout).file), `the backup is lost: ${stdout}`);
  await verifyBackups(round, folder);
  rmSync(folder, { recursive: true, force: true });
}

async function verifyBackups({ installation }: Round, folder: string): Promise<string[]> {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const files = names.filter((name) => name.endsWith('.tar')).map((name) => join(folder, name));
  if (files.length > 0) saysOk(await installation.latchkey(['backup', 'verify', ...files]), 'backup verify');
  return files;
}

/** After the command has said so, all is there; otherwise it can be given again. */
async function restore(round: Round): Promise<void> {
  const { installation } = round;
  const folder = join(installation.dataDir, 'backups');
  const restored = join(installation.dataDir, `restored-${randomUUID()}`);
  saysOk(await installation.latchkey(['backup', '--to', folder]), 'backup');
  const [file = ''] = readdirSync(folder);
  const args = ['restore', join(folder, file), '--master-key-file', join(installation.dataDir, 'master.key')];
  const env = { LATCHKEY_DATA_DIR: restored, LATCHKEY_DATABASE_URL: '' };
  const { code } = await cutAt(round, args, env);
  await verifyBackups(round, folder);
  // A transaction that was committed although nobody was told of it.
  if (code !== 0) {
    const again = await installation.latchkey(args, env);
    if (!/already|not empty|has a database/i.test(again.stderr)) saysOk(again, 'restore');
  }
  saysOk(await installation.latchkey(['doctor'], env), 'doctor');
  for (const one of [folder, restored]) rmSync(one, { recursive: true, force: true });
}

/** The service starts with the key that is there, and the rotation can be brought to its end. */
async function rotate(round: Round): Promise<void> {
  const { installation } = round;
  const args = ['master-key', 'rotate', '--settle', String(SETTLE_MS)];
  await cutAt(round, args);
  await installation.start(1);
  saysOk(await installation.latchkey(args), 'rotate');
}

const named = (name: string) => KILLS.sqlite.find((kill) => kill.name === name) as Kill;

/** The power of the disk with the data directory is cut, whatever the engine. */
export const POWER_CUTS: readonly Kill[] = [
  named('service'),
  { name: 'backup', workers: 1, strike: backUp },
  named('primary and workers at once'),
  { name: 'rotation', workers: 1, strike: rotate },
  named('service, and its next start'),
  { name: 'restore', workers: 1, strike: restore },
];
