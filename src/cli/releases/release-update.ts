import { checkVersion } from '../../app/releases/releases.ts';
import { replaceRelease } from '../../app/releases/uploads.ts';
import { optional } from '../../domain/fields.ts';
import { releaseShape } from '../../domain/releases/release.ts';
import { define } from '../define.ts';
import { Failure, orFail } from '../failure.ts';
import { flagsOf, refuseFlags, refuseNoChange } from '../flags.ts';
import { interruptible } from '../interrupt.ts';
import { OWNER, opening } from '../open.ts';
import { answer } from '../output.ts';
import { presentRelease } from '../present.ts';
import { STORAGE } from '../settings.ts';
import { findRelease, nameFlags } from './named.ts';
import { readChangelog, receiveFile, stoppable, withReleaseFile } from './release-files.ts';
import { fileNameFlags, releaseFlags } from './release-publish.ts';
import { noteHigher, releaseWords } from './release-words.ts';

export const update = define({
  name: 'update',
  description: 'Change a release; values without a flag stay as they are',
  argument: ['[file]', 'New file, which replaces the present one'],
  flags: { ...nameFlags, ...fileNameFlags },
  changes: {
    ...flagsOf(
      {
        newVersion: optional(releaseShape.version.field, { clearable: false }),
        status: releaseShape.status,
      },
      { newVersion: ['version', 'New version'], status: ['name', 'published, draft or yanked'] },
    ),
    ...releaseFlags,
  },
  settings: STORAGE,
  examples: {
    'To everybody, after a partial rollout':
      'latchkey release update --software acme --version 1.5.0 --rollout 100',
    'Publish again after a yank':
      'latchkey release update --software acme --version 1.4.0 --status published',
    'Replace the file': 'latchkey release update --software acme --version 1.5.0 build/acme.zip',
  },
  action({ run, values, changes: given }, file) {
    if (file === undefined) {
      refuseFlags(run.given, ['fileName'], 'can only be given with a file');
      refuseNoChange(given);
    }
    const { newVersion, changelog, ...rest } = given;
    return interruptible(run, 'nothing was changed', async (signal) => {
      const changes = {
        ...rest,
        ...(newVersion && { version: newVersion }),
        ...(changelog !== undefined && {
          changelog: changelog && (await readChangelog(run, changelog, signal)),
        }),
      };
      await withReleaseFile(file, values.fileName, signal, (source) =>
        opening(run, async (service) => {
          const { read } = service.store;
          const { software, release, named } = await findRelease(read, values);
          // Refuse an existing version before the file is received; the command would refuse it only afterwards.
          orFail(await checkVersion(read, software.id, newVersion, release.id));
          // Refuse this here: the refusal of the command would ask for multipart/form-data.
          if (changes.status === 'published' && !release.file && !source)
            throw new Failure(1, 'release_without_file', 'The release has no file. Name one to publish it.');
          const upload = source && (await receiveFile(run, service, source));
          const request = { named, changes };
          const changed = orFail(await replaceRelease(stoppable(service, signal), request, upload, OWNER));
          answer(run, presentRelease(changed), () => releaseWords(changed, software));
          if (changes.status === 'published') await noteHigher(run, read, changed);
        }),
      );
    });
  },
});
