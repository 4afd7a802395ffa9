import type { Command } from 'commander';
import { listSoftware } from '../../app/releases/software.ts';
import { removeSoftware } from '../../app/releases/uploads.ts';
import { failureOf } from '../failure.ts';
import {
  addChangeFlags,
  addShapeFlags,
  PAGE_MEANINGS,
  pageShape,
  pagingOf,
  refuseNoChange,
} from '../flags.ts';
import { addExamples } from '../help.ts';
import { changing, OWNER, reading } from '../open.ts';
import { answer } from '../output.ts';
import { presentSoftware } from '../present.ts';
import type { Run } from '../run.ts';
import { addCommonFlags, addStorageFlags, type Given } from '../settings.ts';
import { counted, pageWords, printable } from '../table.ts';
import { softwareNamed } from './named.ts';
import { newSoftwareOf, SOFTWARE_MEANINGS, softwareChangesOf, softwareFlagShape } from './software-flags.ts';
import { softwareTable, softwareWords } from './software-words.ts';

const NAMED = 'Its slug or id';

export function addSoftwareCommands(program: Command, run: Run): void {
  const software = program
    .command('software')
    .description('Create and change what releases are published of');
  addCreate(software, run);
  addList(software, run);
  addShow(software, run);
  addUpdate(software, run);
  addDelete(software, run);
}

function addCreate(software: Command, run: Run): void {
  const command = software.command('create').description('Create software');
  addShapeFlags(command, softwareFlagShape, SOFTWARE_MEANINGS);
  addCommonFlags(command);
  addExamples(command, [
    [
      'For those who have a license of product 7 or 8',
      'latchkey software create --name "Acme Editor" --slug acme --product-ids 7,8',
    ],
    [
      'A WordPress plugin, with what its updater shows',
      'latchkey software create --name Acme --tested 6.8 --requires 6.0 --requires-php 8.1 --icon 1x=https://example.com/128.png --icon 2x=https://example.com/256.png --banner low=https://example.com/772.png',
    ],
    ['For everybody', 'latchkey software create --name "Acme Reader" --access public'],
  ]);
  command.action((given: Given) => {
    const input = newSoftwareOf(given);
    return changing(run, async ({ execute }) => {
      const made = await execute('create-software', input, OWNER);
      if (!made.ok) throw failureOf(made.refusal);
      answer(run, presentSoftware(made.value), () => softwareWords(made.value));
    });
  });
}

function addList(software: Command, run: Run): void {
  const command = software.command('list').description('List software, newest first');
  addShapeFlags(command, pageShape, PAGE_MEANINGS);
  addCommonFlags(command);
  addExamples(command, [
    ['The newest', 'latchkey software list'],
    ['All slugs, in a script', "latchkey software list --limit 1000 --json | jq -r '.software[].slug'"],
  ]);
  command.action((given: Given) => {
    const paging = pagingOf(given);
    return reading(run, async ({ store }) => {
      const listed = await listSoftware(store.read, paging, OWNER);
      const { page, limit } = paging;
      const shown = { software: listed.items.map(presentSoftware), total: listed.total, page, limit };
      answer(run, shown, () => pageWords('software', listed, paging, softwareTable));
    });
  });
}

function addShow(software: Command, run: Run): void {
  const command = software.command('show').description('Show software').argument('<software>', NAMED);
  addCommonFlags(command);
  addExamples(command, [
    ['By its slug', 'latchkey software show acme'],
    ['The id that updaters ask with, in a script', 'latchkey software show acme --json | jq .id'],
  ]);
  command.action((named: string) =>
    reading(run, async ({ store }) => {
      const found = await softwareNamed(store.read, named);
      answer(run, presentSoftware(found), () => softwareWords(found));
    }),
  );
}

function addUpdate(software: Command, run: Run): void {
  const command = software
    .command('update')
    .description('Change software: what is given, and nothing else')
    .argument('<software>', NAMED);
  addChangeFlags(command, softwareFlagShape, SOFTWARE_MEANINGS);
  addCommonFlags(command);
  addExamples(command, [
    ['A new version of the platform is out', 'latchkey software update acme --tested 6.9'],
    ['For all licenses, and without a page', 'latchkey software update acme --clear product-ids,url'],
  ]);
  command.action((named: string, given: Given) => {
    const changes = softwareChangesOf(given);
    refuseNoChange(changes);
    return reading(run, async ({ execute, store }) => {
      const { id } = await softwareNamed(store.read, named);
      const changed = await execute('update-software', { named: String(id), changes }, OWNER);
      if (!changed.ok) throw failureOf(changed.refusal);
      answer(run, presentSoftware(changed.value), () => softwareWords(changed.value));
    });
  });
}

function addDelete(software: Command, run: Run): void {
  const command = software
    .command('delete')
    .description('Delete software for good, with its releases and their files')
    .argument('<software>', NAMED);
  addStorageFlags(command);
  addExamples(command, [
    ['By its slug', 'latchkey software delete acme'],
    ['By its id, which never changes', 'latchkey software delete 3'],
  ]);
  command.action((named: string) =>
    reading(run, async (service) => {
      const found = await softwareNamed(service.store.read, named);
      const { total } = await service.store.read.releases.list(found.id, { offset: 0, limit: 1 });
      const deleted = await removeSoftware(service, String(found.id), OWNER);
      if (!deleted.ok) throw failureOf(deleted.refusal);
      answer(
        run,
        presentSoftware(found),
        () => `Deleted ${printable(found.name)} (${printable(found.slug)}) and ${counted(total, 'release')}.`,
      );
    }),
  );
}
