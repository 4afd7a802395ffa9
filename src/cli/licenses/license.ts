import { getLicense } from '../../app/licenses/licenses.ts';
import type { Activation } from '../../domain/activation.ts';
import {
  LICENSE_DEFAULTS,
  LICENSE_SOURCE,
  type License,
  licenseFilterOf,
} from '../../domain/licenses/license.ts';
import type { Service } from '../../installation/service.ts';
import { licenseExport } from '../batches/license-export.ts';
import { licenseImport } from '../batches/license-import.ts';
import { define, group } from '../define.ts';
import { orFail } from '../failure.ts';
import { pageFlags, pagingOf } from '../flags.ts';
import { creating, OWNER, opening } from '../open.ts';
import { answer, answerPage } from '../output.ts';
import { presentActivation } from '../present.ts';
import { printable, table } from '../table.ts';
import { disable, enable, extend, remove, restore, update } from './license-change.ts';
import { filterFlags, licenseFlags, NAMED } from './license-flags.ts';
import { activationWords, licenseColumns, licenseWords, now, present } from './license-words.ts';

const create = define({
  name: 'create',
  description: 'Create a license',
  flags: licenseFlags,
  defaults: LICENSE_DEFAULTS,
  examples: {
    'A license for three devices, valid for a year':
      'latchkey license create --license-key ACME-0001 --activations-limit 3 --valid-for 365',
    'A license for a product that expires on a given day':
      'latchkey license create --license-key ACME-0002 --product-id 7 --expires-at 2031-12-31',
  },
  action: ({ run, values }) =>
    creating(run, async (service) => {
      const input = { ...values, source: LICENSE_SOURCE.import };
      const license = orFail(await service.execute('create-license', input, OWNER));
      const shown = present(service, license);
      answer(run, shown, () => licenseWords(license, shown.hash, now(service)));
    }),
});

const show = define({
  name: 'show',
  description: 'Show a license and its valid activations',
  argument: NAMED,
  examples: {
    'By its key': 'latchkey license show ACME-0001',
    'A key that begins with a dash': 'latchkey license show -- -0001',
    'The number of activations left, in a script':
      "latchkey license show ACME-0001 --json | jq '.activations_limit - .times_activated'",
  },
  action: ({ run }, key) =>
    opening(run, async (service) => {
      const { read } = service.store;
      const found = orFail(await getLicense(read, key, OWNER));
      const { license } = found;
      const activations = [...found.activations];
      for await (const more of found.rest ?? []) activations.push(...more);
      const shown = present(service, license);
      const slugs = await slugsOf(service, activations);
      const { note, tags, meta } = await read.notes.one(license.id);
      const presented = { activations: activations.map(presentActivation), note, tags, plugin_meta: meta };
      answer(run, { ...shown, ...presented }, () =>
        [
          licenseWords(license, shown.hash, now(service)),
          ...(tags.length > 0 ? [`Tags: ${printable(tags.join(', '))}`] : []),
          ...(note === null ? [] : [`Note: ${printable(note)}`]),
          activationWords(activations, slugs),
          ...(meta.length > 0 ? [table(meta, { METADATA: 'name', '': 'value' })] : []),
        ].join('\n\n'),
      );
    }),
});

/** Returns the slugs of the software that the activations are for, by id. */
async function slugsOf({ store }: Service, activations: readonly Activation[]): Promise<Map<number, string>> {
  const slugs = new Map<number, string>();
  for (const id of new Set(activations.map(({ softwareId }) => softwareId))) {
    const software = id === null ? null : await store.read.software.find(id);
    if (software) slugs.set(software.id, software.slug);
  }
  return slugs;
}

const list = define({
  name: 'list',
  description: 'List licenses, newest first',
  flags: { ...filterFlags, ...pageFlags },
  examples: {
    'The newest': 'latchkey license list',
    'Sold and inactive licenses of a product': 'latchkey license list --product-id 7 --status sold,inactive',
    'The second hundred, in a script': 'latchkey license list --limit 100 --page 2 --json',
  },
  action({ run, values: { limit, page, ...filter } }) {
    const paging = pagingOf({ limit, page });
    return opening(run, async (service) => {
      const listed = await service.store.read.licenses.list(licenseFilterOf(filter), paging);
      const one = (license: License) => present(service, license);
      answerPage(run, 'licenses', listed, paging, one, licenseColumns(now(service)));
    });
  },
});

export const licenseCommands = group('license', 'Create, look up, change, import and export licenses', [
  ...[create, show, list, update, extend, disable, enable, remove, restore, licenseImport, licenseExport],
]);
