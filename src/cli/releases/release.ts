import type { Command } from 'commander';
import { listReleases } from '../../app/releases/releases.ts';
import { removeRelease, replaceRelease } from '../../app/releases/uploads.ts';
import { type Release, yankShape } from '../../domain/release.ts';
import type { Software } from '../../domain/software.ts';
import type { Service } from '../../installation/service.ts';
import { Failure, failureOf } from '../failure.ts';
import { addShapeFlags, type Meanings, PAGE_MEANINGS, pageShape, pagingOf, readFlags } from '../flags.ts';
import { addExamples, addNotes } from '../help.ts';
import { OWNER, reading } from '../open.ts';
import { answer } from '../output.ts';
import { presentRelease } from '../present.ts';
import type { Run } from '../run.ts';
import { addCommonFlags, addStorageFlags, type Given } from '../settings.ts';
import { pageWords, printable } from '../table.ts';
import { NAME_MEANINGS, nameShape, releaseNamed, softwareNamed } from './named.ts';
import { addPublish } from './release-publish.ts';
import { addStats } from './release-stats.ts';
import { addUpdate } from './release-update.ts';
import { changelogWords, releaseTable, releaseWords } from './release-words.ts';

const { version: _version, ...softwareShape } = nameShape;
const reasonShape = { reason: yankShape.yankReason };
const REASON_MEANINGS: Meanings<typeof reasonShape> = {
  reason: ['text', 'Why, for your own people; clients are told nothing of it'],
};

export function addReleaseCommands(program: Command, run: Run): void {
  const release = program.command('release').description('Publish releases of software, and withdraw them');
  addPublish(release, run);
  addList(release, run);
  addShow(release, run);
  addUpdate(release, run);
  addYank(release, run);
  addDelete(release, run);
  addStats(release, run);
}

function addList(release: Command, run: Run): void {
  const command = release.command('list').description('List the releases of software, highest version first');
  addShapeFlags(command, softwareShape, NAME_MEANINGS);
  addShapeFlags(command, pageShape, PAGE_MEANINGS);
  addCommonFlags(command);
  addExamples(command, [
    ['The highest', 'latchkey release list --software acme'],
    [
      'Versions that are offered, in a script',
      'latchkey release list --software acme --limit 1000 --json | jq -r \'.releases[] | select(.status == "published") | .version\'',
    ],
  ]);
  command.action((given: Given) => {
    const { software: named } = readFlags(softwareShape, given);
    const paging = pagingOf(given);
    return reading(run, async ({ store }) => {
      const { id } = await softwareNamed(store.read, named);
      const listed = await listReleases(store.read, String(id), paging, OWNER);
      if (!listed.ok) throw failureOf(listed.refusal);
      const { items, total } = listed.value;
      const { page, limit } = paging;
      answer(run, { releases: items.map(presentRelease), total, page, limit }, () =>
        pageWords('releases', listed.value, paging, releaseTable),
      );
    });
  });
}

interface Found {
  service: Service;
  software: Software;
  release: Release;
}

/** Opens the database and finds the release that flags name. */
function withRelease(run: Run, given: Given, use: (found: Found) => Promise<void>): Promise<void> {
  const named = readFlags(nameShape, given);
  return reading(run, async (service) => {
    const software = await softwareNamed(service.store.read, named.software);
    return use({
      service,
      software,
      release: await releaseNamed(service.store.read, software, named.version),
    });
  });
}

const idsOf = ({ software, release }: Found) => ({
  software: String(software.id),
  release: String(release.id),
});
const nameOf = ({ software, release }: Found): string =>
  `${printable(release.version)} of ${printable(software.slug)}`;

function addShow(release: Command, run: Run): void {
  const command = release.command('show').description('Show a release and its changelog');
  addShapeFlags(command, nameShape, NAME_MEANINGS);
  addCommonFlags(command);
  addExamples(command, [
    ['In words', 'latchkey release show --software acme --version 1.4.0'],
    [
      'The hash of its file, in a script',
      'latchkey release show --software acme --version 1.4.0 --json | jq -r .sha256',
    ],
  ]);
  command.action((given: Given) =>
    withRelease(run, given, async ({ software, release: found }) =>
      answer(
        run,
        presentRelease(found),
        () => `${releaseWords(found, software)}\n\n${changelogWords(found)}`,
      ),
    ),
  );
}

function addYank(release: Command, run: Run): void {
  const command = release
    .command('yank')
    .description('Withdraw a release: it is not offered, and no download of it begins any more');
  addShapeFlags(command, nameShape, NAME_MEANINGS);
  addShapeFlags(command, reasonShape, REASON_MEANINGS);
  addCommonFlags(command);
  addNotes(
    command,
    'Downloads under way go on, and a signed address of S3 stays good for five minutes.\nBack again: latchkey release update --software … --version … --status published',
  );
  addExamples(command, [
    [
      'One that went wrong',
      'latchkey release yank --software acme --version 1.4.0 --reason "It deletes files"',
    ],
    ['The same by the id of the software', 'latchkey release yank --software 3 --version 1.4.0'],
  ]);
  command.action((given: Given) => {
    const { reason: yankReason } = readFlags(reasonShape, given);
    return withRelease(run, given, async (found) => {
      if (found.release.status === 'yanked') {
        throw new Failure(1, 'release_yanked', `Release ${nameOf(found)} is yanked already.`);
      }
      const request = { named: idsOf(found), changes: { status: 'yanked', yankReason } as const };
      const changed = await replaceRelease(found.service, request, null, OWNER);
      if (!changed.ok) throw failureOf(changed.refusal);
      answer(
        run,
        presentRelease(changed.value),
        () => `Release ${nameOf(found)} is yanked: it is not offered, and no download of it begins any more.`,
      );
    });
  });
}

function addDelete(release: Command, run: Run): void {
  const command = release
    .command('delete')
    .description('Delete a release for good, with its file and the counts of its downloads');
  addShapeFlags(command, nameShape, NAME_MEANINGS);
  addStorageFlags(command);
  addExamples(command, [
    ['A draft that is not wanted', 'latchkey release delete --software acme --version 1.5.0-rc.1'],
    ['The same by the id of the software', 'latchkey release delete --software 3 --version 1.5.0-rc.1'],
  ]);
  command.action((given: Given) =>
    withRelease(run, given, async (found) => {
      const deleted = await removeRelease(found.service, idsOf(found), OWNER);
      if (!deleted.ok) throw failureOf(deleted.refusal);
      answer(run, presentRelease(found.release), () => `Deleted release ${nameOf(found)}.`);
    }),
  );
}
