import type { Command } from 'commander';
import { type RotationReport, rotateMasterKey, SETTLE_MS } from '../../app/keys/rotate-master-key.ts';
import type { Config } from '../../config/config.ts';
import { integer, optional } from '../../domain/fields.ts';
import { type OpenRotation, openRotation } from '../../installation/rotating.ts';
import { masterKeyFile } from '../../installation/service.ts';
import type { MasterKeyState } from '../../store/store.ts';
import { readFlags } from '../flags.ts';
import { addExamples, addNotes } from '../help.ts';
import { interruptible } from '../interrupt.ts';
import { OWNER, reading, tellWhatWasMade } from '../open.ts';
import { answer } from '../output.ts';
import { createProgress } from '../progress.ts';
import type { Run } from '../run.ts';
import { addCommonFlags, type Given, settingsOf } from '../settings.ts';
import { counted, printable } from '../table.ts';

export function addMasterKeyCommands(program: Command, run: Run): void {
  const masterKey = program
    .command('master-key')
    .description('Exchange the key that all license keys are encrypted under, and see where that stands');
  addRotate(masterKey, run);
  addStatus(masterKey, run);
}

const settleShape = { settle: optional(integer({ min: 0, max: 600_000 })) };

function addRotate(masterKey: Command, run: Run): void {
  const command = masterKey
    .command('rotate')
    .description('Put a new master key in the place of the old one, and encrypt all license keys anew');
  addCommonFlags(command);
  // For tests: milliseconds that every other process has to hear of a step.
  command.addOption(command.createOption('--settle <ms>').hideHelp());
  addNotes(command, NOTES);
  addExamples(command, [
    ['Where the key is the file master.key in the data directory', 'latchkey master-key rotate'],
    [
      'Where it is given by LATCHKEY_MASTER_KEY',
      'LATCHKEY_NEXT_MASTER_KEY=$(cat new-key) latchkey master-key rotate',
    ],
  ]);
  command.action((given: Given) =>
    interruptible(run, 'what is done so far stays; run it again to go on', (signal) =>
      rotate(run, given, signal),
    ),
  );
}

const NOTES = `The servers go on working meanwhile. Until the end the database opens with either key, then with the
new one only. Where it is interrupted or fails, run it again: it goes on where it was.
A new file is made by itself; a key of LATCHKEY_MASTER_KEY is exchanged with the one that you give in
LATCHKEY_NEXT_MASTER_KEY. Addresses with hashed-…, download addresses and API keys stay valid.
End programs of versions that do not know this command before: they cannot read what it has encrypted.`;

async function rotate(run: Run, given: Given, signal: AbortSignal): Promise<void> {
  const { config } = settingsOf(run);
  const settle = readFlags(settleShape, given).settle ?? SETTLE_MS;
  const opened = await openRotation(config);
  const progress = createProgress('licenses looked at', run.io.stderr);
  try {
    tellWhatWasMade(run, opened.service, config);
    const report = opened.done ? null : await rotateOpened(opened, settle, signal, progress);
    progress.end();
    const retiredFile = opened.exchange();
    const next = nextSteps(config, retiredFile);
    const state = await opened.service.store.read.masterKey.state();
    answer(
      run,
      { ...shown(config, state), resealed: report?.resealed ?? 0, retired_file: retiredFile, next },
      () =>
        [
          report
            ? `The master key was exchanged; ${counted(report.resealed, 'license key was', 'license keys were')} encrypted anew.`
            : 'The rotation had come to its end before; the new master key is in its place.',
          '',
          ...next,
        ].join('\n'),
    );
  } finally {
    progress.end();
    await opened.service.close();
  }
}

const rotateOpened = (
  { service, begin }: OpenRotation,
  settle: number,
  signal: AbortSignal,
  progress: ReturnType<typeof createProgress>,
): Promise<RotationReport> =>
  rotateMasterKey(
    service,
    begin,
    { settle, signal, onProgress: (seen, total) => progress.update(seen / total, seen) },
    OWNER,
  );

function nextSteps(config: Config, retiredFile: string | null): string[] {
  const backups =
    'as long as you keep backups of the database made before now, apart from them; then delete it';
  if (retiredFile === null) {
    return [
      'Set LATCHKEY_MASTER_KEY to the new key for every node and command, and unset LATCHKEY_NEXT_MASTER_KEY. What runs goes on; a start needs the new key.',
      `Back the new key up, apart from the database. Keep the old one ${backups}.`,
    ];
  }
  const file = printable(masterKeyFile(config.dataDir));
  return [
    `Back ${file} up, apart from the database.`,
    `The old key is in ${printable(retiredFile)}. Keep it ${backups}.`,
    ...(config.databaseUrl === null
      ? []
      : [
          `Copy ${file} to every other node of this database: what runs there goes on, a start needs the new key.`,
        ]),
  ];
}

function addStatus(masterKey: Command, run: Run): void {
  const command = masterKey
    .command('status')
    .description('Show which master key the database has, and whether it is being exchanged');
  addCommonFlags(command);
  addNotes(
    command,
    'Keys are told by their fingerprints. It reads all licenses, to count those not encrypted under the newest key.',
  );
  addExamples(command, [
    ['Where does it stand?', 'latchkey master-key status'],
    ['In a script', 'latchkey master-key status --json | jq .rotation.step'],
  ]);
  command.action(() =>
    reading(run, async ({ store }) => {
      const { config } = settingsOf(run);
      const state = await store.read.masterKey.state();
      const others = await store.read.masterKey.countUnderOtherKeys();
      answer(run, { ...shown(config, state), others }, () => words(config, state, others).join('\n'));
    }),
  );
}

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
  retired: retired.map((one) => ({ fingerprint: one.fingerprint, retired_at: one.retiredAt })),
});

const STEPS: Record<'announced' | 'switched', string> = {
  announced: 'the new key is announced, and the old one still encrypts',
  switched: 'the new key encrypts, and what rests under the old one is being encrypted anew',
};

function words(config: Config, { fingerprint, rotation, retired }: MasterKeyState, others: number) {
  const last = retired.at(-1);
  return [
    `Master key ${fingerprint}, given by ${printable(placeOf(config))}; ${
      last ? `in use since ${last.retiredAt} UTC.` : 'the first of this database.'
    }`,
    rotation
      ? `A rotation to ${rotation.to} was begun on ${rotation.begunAt} UTC: ${STEPS[rotation.step]}. To go on: latchkey master-key rotate`
      : 'No rotation is under way.',
    ...(others > 0
      ? [
          `${counted(others, 'license key rests', 'license keys rest')} under another key than the one that encrypts now.${rotation ? '' : ' To encrypt them anew: latchkey doctor --fix'}`,
        ]
      : []),
    ...retired.map((one) => `Retired on ${one.retiredAt} UTC: ${one.fingerprint}.`),
  ];
}
