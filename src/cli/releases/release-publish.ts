import type { Command } from 'commander';
import { storeRelease } from '../../app/releases/uploads.ts';
import type { NewRelease } from '../../domain/release.ts';
import { Failure, failureOf } from '../failure.ts';
import { addShapeFlags, readFlags, refuseFlags } from '../flags.ts';
import { addExamples, addNotes } from '../help.ts';
import { interruptible } from '../interrupt.ts';
import { OWNER, reading } from '../open.ts';
import { answer } from '../output.ts';
import { presentRelease } from '../present.ts';
import type { Run } from '../run.ts';
import { addStorageFlags, type Given } from '../settings.ts';
import { refuseTakenVersion, softwareNamed } from './named.ts';
import { readChangelog, receiveFile, stoppable, withReleaseFile } from './release-files.ts';
import { PUBLISH_MEANINGS, publishShape } from './release-flags.ts';
import { releaseWords } from './release-words.ts';

export function addPublish(release: Command, run: Run): void {
  const command = release
    .command('publish')
    .description('Publish a release: updaters are offered it from then on')
    .argument('[file]', 'Its file, at most 2 GiB');
  addShapeFlags(command, publishShape, PUBLISH_MEANINGS);
  addStorageFlags(command);
  addNotes(command, NOTES);
  addExamples(command, [
    [
      'To everybody',
      'latchkey release publish --software acme --version 1.4.0 --changelog CHANGES.md build/acme.zip',
    ],
    [
      'To a fifth of them at first',
      'latchkey release publish --software acme --version 1.5.0 --rollout 20 build/acme.zip',
    ],
    [
      'To those who want betas, with the changelog of another program',
      'git log --format="- %s" v1.4.0.. | latchkey release publish --software acme --version 2.0.0-beta.1 --channel beta --changelog - build/acme.zip',
    ],
  ]);
  command.action((file: string | undefined, given: Given) =>
    interruptible(run, 'nothing was published', (signal) => publish(run, file ?? null, given, signal)),
  );
}

const NOTES = `Where files are in S3, the settings of the server must stand here, too (LATCHKEY_S3_…).`;

async function publish(run: Run, file: string | null, given: Given, signal: AbortSignal): Promise<void> {
  const { software: named, draft, fileName, changelog, ...values } = readFlags(publishShape, given);
  if (file === null) {
    if (!draft)
      throw new Failure(2, 'usage', 'Name the file of the release; only a --draft may do without one.');
    refuseFlags(given, ['fileName'], 'can only be given with a file');
  }
  const input: NewRelease = {
    ...values,
    status: draft ? 'draft' : 'published',
    changelog: changelog === null ? null : await readChangelog(run, changelog, signal),
  };
  await withReleaseFile(file, fileName, signal, (source) =>
    reading(run, async (service) => {
      const { read } = service.store;
      const software = await softwareNamed(read, named);
      await refuseTakenVersion(read, software, input.version);
      const upload = source && (await receiveFile(run, service, source));
      const request = { software: String(software.id), input };
      const made = await storeRelease(stoppable(service, signal), request, upload, OWNER);
      if (!made.ok) throw failureOf(made.refusal);
      answer(run, presentRelease(made.value), () => releaseWords(made.value, software));
    }),
  );
}
