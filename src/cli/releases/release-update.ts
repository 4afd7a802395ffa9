import type { Command } from 'commander';
import { replaceRelease } from '../../app/releases/uploads.ts';
import type { ReleaseChanges } from '../../domain/release.ts';
import { Failure, failureOf } from '../failure.ts';
import {
  addChangeFlags,
  addShapeFlags,
  readChanges,
  readFlags,
  refuseFlags,
  refuseNoChange,
} from '../flags.ts';
import { addExamples } from '../help.ts';
import { interruptible } from '../interrupt.ts';
import { OWNER, reading } from '../open.ts';
import { answer } from '../output.ts';
import { presentRelease } from '../present.ts';
import type { Run } from '../run.ts';
import { addStorageFlags, type Given } from '../settings.ts';
import { NAME_MEANINGS, nameShape, refuseTakenVersion, releaseNamed, softwareNamed } from './named.ts';
import { readChangelog, receiveFile, stoppable, withReleaseFile } from './release-files.ts';
import { CHANGE_MEANINGS, changeShape, FILE_NAME_MEANINGS, fileNameShape } from './release-flags.ts';
import { releaseWords } from './release-words.ts';

export function addUpdate(release: Command, run: Run): void {
  const command = release
    .command('update')
    .description('Change a release: what is given, and nothing else')
    .argument('[file]', 'A file to take the place of the one that it has');
  addShapeFlags(command, nameShape, NAME_MEANINGS);
  addChangeFlags(command, changeShape, CHANGE_MEANINGS);
  addShapeFlags(command, fileNameShape, FILE_NAME_MEANINGS);
  addStorageFlags(command);
  addExamples(command, [
    [
      'To everybody, after a rollout in part',
      'latchkey release update --software acme --version 1.5.0 --rollout 100',
    ],
    [
      'Back, after it was yanked',
      'latchkey release update --software acme --version 1.4.0 --status published',
    ],
    ['Another file', 'latchkey release update --software acme --version 1.5.0 build/acme.zip'],
  ]);
  command.action((file: string | undefined, given: Given) =>
    interruptible(run, 'nothing was changed', (signal) => update(run, file ?? null, given, signal)),
  );
}

async function update(run: Run, file: string | null, given: Given, signal: AbortSignal): Promise<void> {
  const name = readFlags(nameShape, given);
  const { fileName } = readFlags(fileNameShape, given);
  const changes = await changesOf(run, given, signal);
  if (file === null) {
    refuseFlags(given, ['fileName'], 'can only be given with a file');
    refuseNoChange(changes);
  }
  await withReleaseFile(file, fileName, signal, (source) =>
    reading(run, async (service) => {
      const { read } = service.store;
      const software = await softwareNamed(read, name.software);
      const release = await releaseNamed(read, software, name.version);
      if (changes.version != null) await refuseTakenVersion(read, software, changes.version, release.id);
      // The command would ask for multipart/form-data.
      if (changes.status === 'published' && !release.file && !source)
        throw new Failure(1, 'release_without_file', 'The release has no file yet: name one to publish it.');
      const upload = source && (await receiveFile(run, service, source));
      const named = { software: String(software.id), release: String(release.id) };
      const changed = await replaceRelease(stoppable(service, signal), { named, changes }, upload, OWNER);
      if (!changed.ok) throw failureOf(changed.refusal);
      answer(run, presentRelease(changed.value), () => releaseWords(changed.value, software));
    }),
  );
}

async function changesOf(run: Run, given: Given, signal: AbortSignal): Promise<ReleaseChanges> {
  const { newVersion, changelog, ...changes } = readChanges(changeShape, given);
  return {
    ...changes,
    ...(newVersion != null && { version: newVersion }),
    ...(changelog !== undefined && {
      changelog: changelog === null ? null : await readChangelog(run, changelog, signal),
    }),
  };
}
