import { listReleases } from '../../app/releases/releases.ts';
import { removeRelease, replaceRelease } from '../../app/releases/uploads.ts';
import { yankShape } from '../../domain/releases/release.ts';
import { define, group } from '../define.ts';
import { Failure, orFail } from '../failure.ts';
import { flagsOf, pageFlags, pagingOf } from '../flags.ts';
import { OWNER, opening } from '../open.ts';
import { answer, answerPage } from '../output.ts';
import { presentRelease } from '../present.ts';
import { STORAGE } from '../settings.ts';
import { findRelease, nameFlags, softwareNamed } from './named.ts';
import { publish } from './release-publish.ts';
import { stats } from './release-stats.ts';
import { update } from './release-update.ts';
import { changelogWords, RELEASE_COLUMNS, releaseWords } from './release-words.ts';

const list = define({
  name: 'list',
  description: 'List the releases of software, highest version first',
  flags: { software: nameFlags.software, ...pageFlags },
  examples: {
    'The highest versions': 'latchkey release list --software acme',
    'Published versions, in a script':
      'latchkey release list --software acme --limit 1000 --json | jq -r \'.releases[] | select(.status == "published") | .version\'',
  },
  action: ({ run, values }) =>
    opening(run, async ({ store }) => {
      const { id } = await softwareNamed(store.read, values.software);
      const paging = pagingOf(values);
      const listed = orFail(await listReleases(store.read, String(id), paging, OWNER));
      answerPage(run, 'releases', listed, paging, presentRelease, RELEASE_COLUMNS);
    }),
});

const show = define({
  name: 'show',
  description: 'Show a release and its changelog',
  flags: nameFlags,
  examples: {
    'As text': 'latchkey release show --software acme --version 1.4.0',
    'The hash of its file, in a script':
      'latchkey release show --software acme --version 1.4.0 --json | jq -r .sha256',
  },
  action: ({ run, values }) =>
    opening(run, async ({ store }) => {
      const { software, release } = await findRelease(store.read, values);
      const words = () => `${releaseWords(release, software)}\n\n${changelogWords(release)}`;
      answer(run, presentRelease(release), words);
    }),
});

const yank = define({
  name: 'yank',
  description: 'Withdraw a release: it is no longer offered, and new downloads are refused',
  flags: {
    ...nameFlags,
    ...flagsOf(
      { reason: yankShape.yankReason },
      { reason: ['text', 'Why, for your team; clients never see it'] },
    ),
  },
  notes:
    'Downloads in progress continue, and a signed S3 address stays valid for five minutes.\nTo publish it again: latchkey release update --software … --version … --status published',
  examples: {
    'A release with a bug':
      'latchkey release yank --software acme --version 1.4.0 --reason "It deletes files"',
    'By the id of the software': 'latchkey release yank --software 3 --version 1.4.0',
  },
  action: ({ run, values: { reason: yankReason, ...values } }) =>
    opening(run, async (service) => {
      const { release, named, name } = await findRelease(service.store.read, values);
      if (release.status === 'yanked')
        throw new Failure(1, 'release_yanked', `Release ${name} is already yanked.`);
      const request = { named, changes: { status: 'yanked', yankReason } as const };
      const yanked = orFail(await replaceRelease(service, request, null, OWNER));
      const words = `Release ${name} is yanked: it is no longer offered, and new downloads are refused.`;
      answer(run, presentRelease(yanked), () => words);
    }),
});

const remove = define({
  name: 'delete',
  description: 'Delete a release, its file and its download counts permanently',
  flags: nameFlags,
  settings: STORAGE,
  examples: {
    'A draft': 'latchkey release delete --software acme --version 1.5.0-rc.1',
    'By the id of the software': 'latchkey release delete --software 3 --version 1.5.0-rc.1',
  },
  action: ({ run, values }) =>
    opening(run, async (service) => {
      const { release, named, name } = await findRelease(service.store.read, values);
      orFail(await removeRelease(service, named, OWNER));
      answer(run, presentRelease(release), () => `Deleted release ${name}.`);
    }),
});

export const releaseCommands = group('release', 'Publish releases of software, and withdraw them', [
  ...[publish, list, show, update, yank, remove, stats],
]);
