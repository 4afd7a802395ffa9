import type { Command } from 'commander';
import { getLicense, restOfActivations } from '../../app/licenses/licenses.ts';
import type { Activation } from '../../domain/activation.ts';
import { type Datetime, toDatetime } from '../../domain/datetime.ts';
import { LICENSE_DEFAULTS, LICENSE_SOURCE, type License, licenseShape } from '../../domain/license.ts';
import type { Service } from '../../installation/service.ts';
import { addExport } from '../batches/license-export.ts';
import { addImport } from '../batches/license-import.ts';
import { failureOf } from '../failure.ts';
import { addShapeFlags, PAGE_MEANINGS, pageShape, pagingOf, readFlags } from '../flags.ts';
import { addExamples } from '../help.ts';
import { changing, OWNER, reading } from '../open.ts';
import { answer } from '../output.ts';
import { presentActivation, presentLicense } from '../present.ts';
import type { Run } from '../run.ts';
import { addCommonFlags, type Given } from '../settings.ts';
import { pageWords } from '../table.ts';
import { FILTER_MEANINGS, filterOf, filterShape, LICENSE_MEANINGS } from './license-flags.ts';
import { activationWords, licenseTable, licenseWords } from './license-words.ts';

export function addLicenseCommands(program: Command, run: Run): void {
  const license = program.command('license').description('Create, look up, import and export licenses');
  addCreate(license, run);
  addShow(license, run);
  addList(license, run);
  addImport(license, run);
  addExport(license, run);
}

const now = ({ clock }: Service): Datetime => toDatetime(clock());
const presented = (service: Service, license: License) =>
  presentLicense(license, service.store.read.licenses.hashOf(license.key), now(service));

function addCreate(license: Command, run: Run): void {
  const command = license.command('create').description('Create a license');
  addShapeFlags(command, licenseShape, LICENSE_MEANINGS);
  addCommonFlags(command);
  addExamples(command, [
    [
      'A license for three devices and a year',
      'latchkey license create --license-key ACME-0001 --activations-limit 3 --valid-for 365',
    ],
    [
      'One that ends on a day, for a product',
      'latchkey license create --license-key ACME-0002 --product-id 7 --expires-at 2031-12-31',
    ],
  ]);
  command.action((given: Given) => {
    const input = readFlags(licenseShape, given, LICENSE_DEFAULTS);
    return changing(run, async (service) => {
      const made = await service.execute(
        'create-license',
        { ...input, source: LICENSE_SOURCE.import },
        OWNER,
      );
      if (!made.ok) throw failureOf(made.refusal);
      const shown = presented(service, made.value);
      answer(run, shown, () => licenseWords(made.value, shown.hash, now(service)));
    });
  });
}

function addShow(license: Command, run: Run): void {
  const command = license
    .command('show')
    .description('Show a license and its valid activations')
    .argument('<key>', 'Its key, or hashed-{hash}');
  addCommonFlags(command);
  addExamples(command, [
    ['By its key', 'latchkey license show ACME-0001'],
    ['A key that begins with a dash', 'latchkey license show -- -0001'],
    [
      'How many activations are left, in a script',
      "latchkey license show ACME-0001 --json | jq '.activations_limit - .times_activated'",
    ],
  ]);
  command.action((named: string) =>
    reading(run, async (service) => {
      const found = await getLicense(service.store.read, named, OWNER);
      if (!found.ok) throw failureOf(found.refusal);
      const shown = presented(service, found.value.license);
      const all = [...found.value.activations];
      for await (const some of restOfActivations(service.store.read, found.value)) all.push(...some);
      const slugs = await slugsOf(service, all);
      answer(
        run,
        { ...shown, activations: all.map(presentActivation) },
        () =>
          `${licenseWords(found.value.license, shown.hash, now(service))}\n\n${activationWords(all, slugs)}`,
      );
    }),
  );
}

/** What the software is called that activations are for, by its id. */
async function slugsOf({ store }: Service, activations: readonly Activation[]): Promise<Map<number, string>> {
  const slugs = new Map<number, string>();
  for (const id of new Set(activations.map(({ softwareId }) => softwareId))) {
    const software = id === null ? null : await store.read.software.find(id);
    if (software) slugs.set(software.id, software.slug);
  }
  return slugs;
}

function addList(license: Command, run: Run): void {
  const command = license.command('list').description('List licenses, newest first');
  addShapeFlags(command, filterShape, FILTER_MEANINGS);
  addShapeFlags(command, pageShape, PAGE_MEANINGS);
  addCommonFlags(command);
  addExamples(command, [
    ['The newest', 'latchkey license list'],
    ['Of one product, what can be sold or is', 'latchkey license list --product-id 7 --status sold,inactive'],
    ['The second hundred, in a script', 'latchkey license list --limit 100 --page 2 --json'],
  ]);
  command.action((given: Given) => {
    const [filter, paging] = [filterOf(given), pagingOf(given)];
    return reading(run, async (service) => {
      const listed = await service.store.read.licenses.list(filter, paging);
      const { page, limit } = paging;
      const licenses = listed.items.map((one) => presented(service, one));
      answer(run, { licenses, total: listed.total, page, limit }, () =>
        pageWords('licenses', listed, paging, (items) => licenseTable(items, now(service))),
      );
    });
  });
}
