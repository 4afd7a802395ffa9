import { checkVersion } from '../../app/releases/releases.ts';
import { storeRelease } from '../../app/releases/uploads.ts';
import { optional } from '../../domain/fields.ts';
import { channelFor, fileName, type NewRelease, releaseShape } from '../../domain/releases/release.ts';
import { define } from '../define.ts';
import { Failure, orFail } from '../failure.ts';
import { flagsOf, path, refuseFlags, toggle } from '../flags.ts';
import { interruptible } from '../interrupt.ts';
import { OWNER, opening } from '../open.ts';
import { answer } from '../output.ts';
import { presentRelease } from '../present.ts';
import { STORAGE } from '../settings.ts';
import { nameFlags, softwareNamed } from './named.ts';
import { readChangelog, receiveFile, stoppable, withReleaseFile } from './release-files.ts';
import { noteHigher, releaseWords } from './release-words.ts';

const { channel, upgradeNotice, rollout } = releaseShape;

/** The flags that a publish sets and an update changes. */
export const releaseFlags = flagsOf(
  { channel, changelog: path, upgradeNotice, rollout },
  {
    channel: ['name', 'stable, rc, beta or alpha (default: the one that the version names, else stable)'],
    changelog: ['file', 'File with the changelog; - for standard input'],
    upgradeNotice: ['text', 'What users should know before they update'],
    rollout: ['percentage', 'Percentage of activations that are offered it, 0 to 100 (default: 100)'],
  },
);
export const fileNameFlags = flagsOf(
  { fileName: optional(fileName) },
  { fileName: ['name', 'Name of the downloaded file (default: the name of the file here)'] },
);

export const publish = define({
  name: 'publish',
  description: 'Publish a release: updaters are offered it at once',
  argument: ['[file]', 'File of the release, at most 2 GiB'],
  flags: {
    ...nameFlags,
    ...releaseFlags,
    draft: toggle('Save it as a draft; only a draft may lack a file'),
    ...fileNameFlags,
  },
  settings: STORAGE,
  notes: `If release files are in S3, this command needs the same LATCHKEY_S3_… settings as the server.`,
  examples: {
    'To everybody':
      'latchkey release publish --software acme --version 1.4.0 --changelog CHANGES.md build/acme.zip',
    'To a fifth of the activations first':
      'latchkey release publish --software acme --version 1.5.0 --rollout 20 build/acme.zip',
    'To beta testers, with a changelog from another program':
      'git log --format="- %s" v1.4.0.. | latchkey release publish --software acme --version 2.0.0-beta.1 --channel beta --changelog - build/acme.zip',
  },
  action({ run, values: { software: named, draft, fileName, changelog, ...values } }, file) {
    if (file === undefined) {
      if (!draft) throw new Failure(2, 'usage', 'Name the file of the release. Only a --draft may lack one.');
      refuseFlags(run.given, ['fileName'], 'can only be given with a file');
    }
    return interruptible(run, 'nothing was published', async (signal) => {
      const input: NewRelease = {
        ...values,
        channel: values.channel ?? channelFor(values.version),
        status: draft ? 'draft' : 'published',
        changelog: changelog === null ? null : await readChangelog(run, changelog, signal),
      };
      await withReleaseFile(file, fileName, signal, (source) =>
        opening(run, async (service) => {
          const { read } = service.store;
          const software = await softwareNamed(read, named);
          // Refuse an existing version before the file is received; the command would refuse it only afterwards.
          orFail(await checkVersion(read, software.id, input.version));
          const upload = source && (await receiveFile(run, service, source));
          const request = { software: String(software.id), input };
          const release = orFail(await storeRelease(stoppable(service, signal), request, upload, OWNER));
          answer(run, presentRelease(release), () => releaseWords(release, software));
          await noteHigher(run, read, release);
        }),
      );
    });
  },
});
