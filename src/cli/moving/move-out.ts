import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { recordsToMoveOut } from '../../app/moving/move-out.ts';
import { makeFolder } from '../../disk/folder.ts';
import { optional, required, text } from '../../domain/fields.ts';
import { openForCommand } from '../../installation/service.ts';
import { secretFiles, secretsFor } from '../../wordpress/secrets.ts';
import type { WritableItem } from '../../wordpress/shop.ts';
import { writeShop } from '../../wordpress/write-shop.ts';
import { define } from '../define.ts';
import { Failure } from '../failure.ts';
import { flagsOf, path } from '../flags.ts';
import { interruptible } from '../interrupt.ts';
import { noteWhatWasMade } from '../open.ts';
import { answer } from '../output.ts';
import { showProgress } from '../progress.ts';
import type { Run } from '../run.ts';
import { settingsOf } from '../settings.ts';
import { counted, printable } from '../table.ts';
import { CONSTANTS, givenSecrets } from './plugin-secrets.ts';

const SQL = 'dlm.sql';

export const moveOut = define({
  name: 'move-out',
  description: 'Write everything for Digital License Manager: the way back to WordPress',
  argument: ['<plugin>', 'dlm (Digital License Manager)', ['dlm']],
  flags: flagsOf(
    { to: required(text({ min: 1, max: 4_096 })), files: path, prefix: optional(text({ min: 1, max: 40 })) },
    {
      to: ['folder', `Folder to write ${SQL}, defuse.txt and secret.txt to`],
      files: ['folder', "The plugin's folder with defuse.txt and secret.txt, to use the same keys"],
      prefix: ['text', 'Prefix of the tables (default: wp_)'],
    },
  ),
  notes: `The SQL replaces the plugin's tables of licenses, license metadata, activations and generators. Its
API keys stay as they are: Latchkey does not store their secrets. Stop the server first, or changes
made meanwhile may be missing. ${CONSTANTS}
replace --files. docs/operate/moving.md describes every step.`,
  examples: {
    'Back to the shop that was moved in': 'latchkey move-out dlm --to ./back --files ./dlm-files',
  },
  async action({ run, values: { to, files, prefix } }, plugin) {
    if (plugin.toLowerCase() !== 'dlm') throw new Failure(2, 'invalid_value', '<plugin> must be dlm.');
    if (prefix !== null && /\W/.test(prefix))
      throw new Failure(2, 'invalid_value', '--prefix may contain only letters, digits and underscores.');
    const config = settingsOf(run);
    const given = await givenSecrets('dlm', files, config);
    const { service, prepared } = await openForCommand(config, { mustExist: true });
    const hashKey = prepared.keys.data['license key hash'];
    try {
      noteWhatWasMade(run, service, config);
      await interruptible(run, 'nothing was written', async (signal) => {
        const secrets = given ?? secretsFor(hashKey);
        const keepsHashes = Buffer.compare(secrets.hashKey, hashKey) === 0;
        makeFolder(to);
        if (!given) await refuseOtherSecrets(to);
        const records = counting(run, recordsToMoveOut(service.store.read, signal));
        const written = await writePrivate(join(to, SQL), (write) =>
          writeShop(records, secrets, write, prefix ?? 'wp_'),
        );
        for (const [name, content] of Object.entries(secretFiles(secrets)))
          await writePrivate(join(to, name), (write) => write(content));
        const value = { to, keeps_hashes: keepsHashes, ...written };
        answer(run, value, () => [
          `Wrote ${counted(written.license, 'license')}, ${counted(written.activation, 'activation')} and ${counted(written.generator, 'generator')} to ${printable(join(to, SQL))}.`,
          ...(keepsHashes ? [] : ['hashed-… addresses of this database will not work in the shop.']),
          `1. Put defuse.txt and secret.txt into wp-content/uploads/dlm-files/ of the shop.`,
          `2. Dump its database, then load ${SQL}, which replaces tables: mysql DATABASE < ${printable(join(to, SQL))}`,
          '3. Check that its table of API keys has the keys that programs carry.',
          'To move in again later, use a new data directory.',
        ]);
      });
    } finally {
      await service.close();
    }
  },
});

/** Refuses to replace the secrets of a shop: nothing could decrypt its data without them. @throws Failure */
async function refuseOtherSecrets(to: string): Promise<void> {
  const names = await readdir(to);
  const name = ['defuse.txt', 'secret.txt'].find((one) => names.includes(one));
  if (name === undefined) return;
  const words = 'name its folder with --files to keep it, or another folder with --to. Nothing was written.';
  throw new Failure(1, 'secrets_exist', `${printable(join(to, name))} exists: ${words}`);
}

/** Writes a file that only its owner can read, whole or not at all. */
async function writePrivate<T>(
  file: string,
  use: (write: (content: string | Uint8Array) => Promise<void>) => Promise<T>,
): Promise<T> {
  const partial = `${file}.partial`;
  const opened = await open(partial, 'w', 0o600);
  try {
    const result = await use((content) => opened.appendFile(content));
    await opened.sync();
    await rename(partial, file);
    return result;
  } finally {
    await opened.close();
    await rm(partial, { force: true });
  }
}

/** Yields the records, and shows a progress bar. */
async function* counting(run: Run, records: AsyncIterable<WritableItem>): AsyncGenerator<WritableItem> {
  let count = 0;
  for await (const record of records) {
    showProgress(run, 'records', null, ++count);
    yield record;
  }
}
