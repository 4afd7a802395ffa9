import { rmSync } from 'node:fs';
import { certificateOf, type KeySet, keySetOf } from '../../app/keys/key-set.ts';
import type { SigningKeyRecord } from '../../domain/signing-key.ts';
import { readRootFile, writeRootFile } from '../../installation/root-file.ts';
import type { Service } from '../../installation/service.ts';
import { define, group } from '../define.ts';
import { Failure, orFail } from '../failure.ts';
import { flagsOf, path, toggle } from '../flags.ts';
import { creating, OWNER, opening } from '../open.ts';
import { answer } from '../output.ts';
import { printable } from '../table.ts';
import { keyWords, shownKeys } from './signing-key-words.ts';

/** Returns the keys in use, and all keys that ever existed. Makes keys if there are none. */
async function keysOf({ store, execute }: Service): Promise<{ keys: KeySet; all: SigningKeyRecord[] }> {
  await execute('make-signing-keys', null, OWNER);
  const all = await store.read.signingKeys.list();
  return { keys: keySetOf(all) as KeySet, all };
}

/** Returns the current keys, as every command answers with them. */
async function present(service: Service) {
  const { keys, all } = await keysOf(service);
  return shownKeys(keys, certificateOf(keys), all);
}

const rootFileFlag = (role: 'active' | 'spare') =>
  flagsOf(
    { rootFile: path },
    { rootFile: ['file', `The private half of the ${role} root key, if it was exported`] },
  );

function rootKeyIn(file: string | null): string | null {
  if (file === null) return null;
  const message = `--root-file: ${printable(file)} holds no Ed25519 private key (PKCS #8, PEM).`;
  const pem = readRootFile(file);
  if (pem === null) throw new Failure(2, 'invalid_value', message);
  return pem;
}

function writeNew(file: string, pem: string, x: string): void {
  try {
    writeRootFile(file, pem, x);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Failure(
      1,
      'file_exists',
      `${printable(file)} exists. Name a new file: nothing is overwritten.`,
    );
  }
}

const show = define({
  name: 'show',
  description: 'Show the two root keys that programs pin, and the signing key',
  notes: `Programs pin both root keys: the active one, and the spare, in case the active one is lost.
No private half is shown.`,
  examples: {
    'Show the keys': 'latchkey signing-key show',
    'The public root keys, for the build of a program': "latchkey signing-key show --json | jq '.pins'",
  },
  action: ({ run }) =>
    creating(run, async (service) => {
      const shown = await present(service);
      answer(run, shown, () => keyWords(shown));
    }),
});

const rotate = define({
  name: 'rotate',
  description: 'Replace the signing key with a new one that the active root key certifies',
  flags: {
    ...rootFileFlag('active'),
    revoke: toggle('Make programs refuse the leases of the old key, because somebody may have it'),
  },
  notes: `Programs need no change. Leases of the old key stay good, except with --revoke: then programs refuse them as
soon as they have seen a lease of the new key. Servers use the new key within seconds.`,
  examples: {
    'If the root key is on the server': 'latchkey signing-key rotate',
    'If the root key was exported': 'latchkey signing-key rotate --root-file root.pem',
    'After a break-in': 'latchkey signing-key rotate --revoke --root-file root.pem',
  },
  action: ({ run, values }) =>
    opening(run, async (service) => {
      const rootKey = rootKeyIn(values.rootFile);
      const input = { rootKey, revoke: values.revoke === true, onlyIfDue: false };
      const changed = orFail(await service.execute('rotate-signing-key', input, OWNER));
      const shown = await present(service);
      answer(run, { ...shown, replaced: changed?.from }, () => [
        `The signing key ${changed?.to} replaces ${changed?.from}.`,
        input.revoke
          ? `Programs refuse the leases of ${changed?.from} as soon as they have seen one of the new key.`
          : `Leases of ${changed?.from} stay good until they end.`,
        ...['', ...keyWords(shown)],
      ]);
    }),
});

const exportRoot = define({
  name: 'export-root',
  description: 'Take the private half of a root key off the server, to a file',
  argument: ['<file>', 'A new file, which only you can read'],
  flags: { spare: toggle('The spare root key, instead of the active one') },
  notes: `Afterwards the server can sign leases, but not certify a new signing key, and neither can
somebody who breaks in. Keep the file offline, in two places. The private half is deleted only after
the file was read back.`,
  examples: {
    'Take both root keys off the server':
      'latchkey signing-key export-root root.pem && latchkey signing-key export-root spare.pem --spare',
  },
  action: ({ run, values }, file) =>
    opening(run, async (service) => {
      const { execute, store } = service;
      const { keys } = await keysOf(service);
      const { kid, x } = values.spare ? keys.spare : keys.root;
      const pem = await store.read.signingKeys.privateHalf(kid);
      if (pem !== null) writeNew(file, pem, x);
      const exported = await execute('export-root-key', { kid }, OWNER);
      // Another process has exported the key meanwhile.
      if (pem !== null && !exported.ok) rmSync(file);
      orFail(exported);
      const shown = await present(service);
      const command = values.spare ? 'use-spare' : 'rotate';
      answer(run, { ...shown, exported: kid, file }, () => [
        `The private half of the ${values.spare ? 'spare' : 'active'} root key ${kid} is in ${printable(file)}, and no longer in the database.`,
        ...[
          '',
          'Move the file off this machine, to two safe places. Nobody can make it again.',
          `"latchkey signing-key ${command} --root-file" needs it. Backups made before now still contain it.`,
          'Without the files of both root keys, no new signing key can be made: programs would need new root keys.',
          '',
        ],
        ...keyWords(shown),
      ]);
    }),
});

const useSpare = define({
  name: 'use-spare',
  description: 'Replace the active root key with the spare one, and make a new spare',
  flags: {
    ...rootFileFlag('spare'),
    keepOld: toggle('Do not revoke the old root key: it is lost, but nobody else has it'),
    again: toggle('Do it although it was done within the last day'),
  },
  notes: `Programs that pin both root keys need no change. As soon as they have seen a lease under the new root, they refuse
all that the old root has certified, except with --keep-old. The new spare is for programs that you
build from now on. A second use-spare locks out all programs in the field, so Latchkey refuses it for
a day unless you add --again.`,
  examples: {
    'Somebody else may have the root key': 'latchkey signing-key use-spare --root-file spare.pem',
    'The file of the root key is lost': 'latchkey signing-key use-spare --keep-old --root-file spare.pem',
  },
  action: ({ run, values }) =>
    opening(run, async (service) => {
      const keepOld = values.keepOld === true;
      const input = { rootKey: rootKeyIn(values.rootFile), keepOld, again: values.again === true };
      const changed = orFail(await service.execute('use-spare-root', input, OWNER));
      const shown = await present(service);
      answer(run, { ...shown, replaced: changed.from }, () => [
        `The spare root key ${changed.to} is the active one now. The old root key ${changed.from} is ${keepOld ? 'retired' : 'revoked'}.`,
        `Programs built before ${shown.root.created_at} UTC do not pin it: they refuse leases from now on.`,
        'Export the new spare (latchkey signing-key export-root FILE --spare), and pin it in programs that you build from now on.',
        ...['', ...keyWords(shown)],
      ]);
    }),
});

export const signingKeyCommands = group(
  'signing-key',
  'Show and rotate the keys that sign leases, and take the root keys off the server',
  [show, rotate, exportRoot, useSpare],
);
