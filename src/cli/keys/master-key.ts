import { rotateMasterKey, SETTLE_MS } from '../../app/keys/rotate-master-key.ts';
import type { Config } from '../../config/config.ts';
import { integer, optional } from '../../domain/fields.ts';
import { snakeCased } from '../../domain/names.ts';
import { openRotation } from '../../installation/rotating.ts';
import { masterKeyFile } from '../../installation/service.ts';
import type { MasterKeyState } from '../../store/store.ts';
import { define, group } from '../define.ts';
import { flagsOf } from '../flags.ts';
import { interruptible } from '../interrupt.ts';
import { noteWhatWasMade, OWNER, opening } from '../open.ts';
import { answer } from '../output.ts';
import { showProgress } from '../progress.ts';
import type { Run } from '../run.ts';
import { settingsOf } from '../settings.ts';
import { counted, printable } from '../table.ts';

const rotateCommand = define({
  name: 'rotate',
  description: 'Replace the master key with a new one, and re-encrypt all license keys',
  // For tests: milliseconds within which every other process must learn of a step.
  flags: flagsOf({ settle: optional(integer({ min: 0, max: 600_000 })) }, { settle: ['ms', ''] }),
  notes: `Servers keep running meanwhile. Until the end the database opens with either key, afterwards only
with the new one. If the rotation is interrupted or fails, run it again: it continues.
It creates the new key file itself. A key in LATCHKEY_MASTER_KEY is replaced by the one that you set in
LATCHKEY_NEXT_MASTER_KEY. Addresses with hashed-…, download addresses and API keys stay valid.
First stop programs of versions without this command: they cannot read what it encrypts.`,
  examples: {
    'If the key is master.key in the data directory': 'latchkey master-key rotate',
    'If the key is in LATCHKEY_MASTER_KEY':
      'LATCHKEY_NEXT_MASTER_KEY=$(cat new-key) latchkey master-key rotate',
  },
  action: ({ run, values }) =>
    interruptible(run, 'the progress is kept; run it again to continue', (signal) =>
      rotate(run, values.settle ?? SETTLE_MS, signal),
    ),
});

async function rotate(run: Run, settle: number, signal: AbortSignal): Promise<void> {
  const config = settingsOf(run);
  const { service, begin, done, exchange } = await openRotation(config);
  const onProgress = (seen: number) => showProgress(run, 'license keys and tokens checked', null, seen);
  try {
    noteWhatWasMade(run, service, config);
    const resealed = done
      ? null
      : await rotateMasterKey(service, begin, { settle, signal, onProgress }, OWNER);
    const retiredFile = exchange();
    const next = nextSteps(config, retiredFile);
    const state = await service.store.read.masterKey.state();
    const value = { ...shown(config, state), resealed: resealed ?? 0, retired_file: retiredFile, next };
    const words =
      resealed === null
        ? 'The rotation had already finished; the new master key is now in place.'
        : `The master key was replaced, and ${counted(resealed, 'license key was', 'license keys were')} re-encrypted.`;
    answer(run, value, () => [words, '', ...next]);
  } finally {
    await service.close();
  }
}

function nextSteps(config: Config, retiredFile: string | null): string[] {
  const keep = 'as long as you keep database backups made before now, apart from them; then delete it';
  if (config.masterKey) {
    return [
      'Set LATCHKEY_MASTER_KEY to the new key for every node and command, and unset LATCHKEY_NEXT_MASTER_KEY. Running servers continue; a start needs the new key.',
      `Back up the new key, apart from the database. Keep the old one ${keep}.`,
    ];
  }
  const file = printable(masterKeyFile(config.dataDir));
  const nodes = `Copy ${file} to every other node of this database. Running servers continue; a start needs the new key.`;
  return [
    `Back up ${file}, apart from the database.`,
    ...(retiredFile === null ? [] : [`The old key is in ${printable(retiredFile)}. Keep it ${keep}.`]),
    ...(config.databaseUrl === null ? [] : [nodes]),
  ];
}

const status = define({
  name: 'status',
  description: 'Show the master key of the database, and whether a rotation is in progress',
  notes:
    'Keys are shown by their fingerprints. The command reads all licenses, to count those not encrypted under the newest key.',
  examples: {
    'Show the status': 'latchkey master-key status',
    'In a script': 'latchkey master-key status --json | jq .rotation.step',
  },
  action: ({ run }) =>
    opening(run, async ({ store }) => {
      const config = settingsOf(run);
      const state = await store.read.masterKey.state();
      const others = await store.read.masterKey.countUnderOtherKeys();
      answer(run, { ...shown(config, state), others }, () => words(config, state, others));
    }),
});

const placeOf = (config: Config): string =>
  config.masterKey ? 'LATCHKEY_MASTER_KEY' : masterKeyFile(config.dataDir);

const shown = (config: Config, { fingerprint, rotation, retired }: MasterKeyState) => ({
  fingerprint,
  given_by: placeOf(config),
  rotation: rotation && {
    step: rotation.step,
    from: rotation.from,
    to: rotation.to,
    begun_at: rotation.begunAt,
  },
  retired: retired.map(snakeCased),
});

const STEPS: Record<'announced' | 'switched', string> = {
  announced: 'the new key is announced, and the old one still encrypts',
  switched: 'the new key encrypts, and license keys under the old one are being re-encrypted',
};

function words(config: Config, { fingerprint, rotation, retired }: MasterKeyState, others: number): string[] {
  const last = retired.at(-1);
  const since = last ? `in use since ${last.retiredAt} UTC.` : 'the first key of this database.';
  return [
    `Master key ${fingerprint}, from ${printable(placeOf(config))}; ${since}`,
    rotation
      ? `A rotation to ${rotation.to} began at ${rotation.begunAt} UTC: ${STEPS[rotation.step]}. To continue: latchkey master-key rotate`
      : 'No rotation is in progress.',
    ...(others === 0
      ? []
      : [
          `${counted(others, 'license key or token is', 'license keys and tokens are')} not encrypted under the current key.${rotation ? '' : ' To re-encrypt: latchkey doctor --fix'}`,
        ]),
    ...retired.map((one) => `Retired at ${one.retiredAt} UTC: ${one.fingerprint}.`),
  ];
}

export const masterKeyCommands = group(
  'master-key',
  'Rotate the key that encrypts all license keys, and show its status',
  [rotateCommand, status],
);
