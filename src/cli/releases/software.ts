import { listSoftware } from '../../app/releases/software.ts';
import { removeSoftware } from '../../app/releases/uploads.ts';
import { bad, type Field, integer, optional, separated } from '../../domain/fields.ts';
import { type Pictures, type Software, softwareShape } from '../../domain/releases/software.ts';
import { define, group } from '../define.ts';
import { orFail } from '../failure.ts';
import { flagsOf, pageFlags, pagingOf, refuseNoChange } from '../flags.ts';
import { creating, OWNER, opening } from '../open.ts';
import { answer, answerPage } from '../output.ts';
import { presentSoftware } from '../present.ts';
import { STORAGE } from '../settings.ts';
import { type Columns, counted, history, pairs, printable } from '../table.ts';
import { softwareNamed } from './named.ts';

/** Values like `1x=https://…`: a name and an address, each name once. */
const pictures: Field<Pictures | null> = {
  schema: { type: 'array', items: { type: 'string' } },
  read(value) {
    const parts = (value as readonly string[]).map((text) => /^([^=]+)=(.+)$/s.exec(text));
    const names = new Set(parts.map((part) => part?.[1]));
    if (parts.includes(null) || names.size < parts.length) return bad('not_name_and_address');
    return softwareShape.icons.field.read(Object.fromEntries(parts.map((part) => part?.slice(1) ?? [])));
  },
};

const { icons: _icons, banners: _banners, productIds, ...plain } = softwareShape;
const softwareFlags = flagsOf(
  {
    ...plain,
    productIds: optional(separated(productIds.field)),
    icon: optional(pictures),
    banner: optional(pictures),
  },
  {
    name: ['name', 'Name of the software'],
    slug: [
      'slug',
      'Unique short name of letters, digits, ".", "_" and "-"; for a WordPress plugin, the name of its folder (default: made from the name)',
    ],
    type: ['name', 'Type of the client that asks for updates (default: wp)'],
    url: ['address', 'Web page of the software'],
    access: [
      'name',
      'licensed: only with a valid license; public: without a valid license, too (default: licensed)',
    ],
    tested: ['version', 'Highest version of the platform that it was tested with'],
    requires: ['version', 'Lowest version of the platform that it runs on'],
    requiresPhp: ['version', 'Lowest version of PHP that it runs on'],
    productIds: ['ids', 'Products whose licenses cover it, separated by commas (default: all)', 'repeated'],
    icon: ['name=address', 'Icon for updaters, such as 1x=https://…; may be repeated', 'repeated'],
    banner: ['name=address', 'Banner for updaters, such as low=https://…; may be repeated', 'repeated'],
  },
);

const idFlag = flagsOf(
  { id: optional(integer({ min: 1 })) },
  { id: ['number', 'Id that updaters in the field send (default: the next one)'] },
);

const productsOf = ({ productIds }: Software): string =>
  productIds.length === 0 ? 'all licenses' : productIds.join(',');

const picturesOf = (pictures: Pictures | null): string | null =>
  pictures &&
  Object.entries(pictures)
    .map(([name, address]) => `${name}=${address}`)
    .join(' ');

const COLUMNS: Columns<Software> = {
  ID: 'id',
  SLUG: 'slug',
  NAME: 'name',
  TYPE: 'type',
  ACCESS: 'access',
  PRODUCTS: productsOf,
};

const words = (software: Software): string =>
  pairs({
    Name: software.name,
    Slug: software.slug,
    Id: software.id,
    Type: software.type,
    Access: software.access,
    Products: productsOf(software),
    Page: software.url,
    'Tested up to': software.tested,
    Requires: software.requires,
    'Requires PHP': software.requiresPhp,
    Icons: picturesOf(software.icons),
    Banners: picturesOf(software.banners),
    ...history(software),
  });

const create = define({
  name: 'create',
  description: 'Create software',
  flags: { ...softwareFlags, ...idFlag },
  examples: {
    'For everybody who has a license for product 7 or 8':
      'latchkey software create --name "Acme Editor" --slug acme --product-ids 7,8',
    'A WordPress plugin, with what its updater shows':
      'latchkey software create --name Acme --tested 6.8 --requires 6.0 --requires-php 8.1 --icon 1x=https://example.com/128.png --icon 2x=https://example.com/256.png --banner low=https://example.com/772.png',
    'For everybody': 'latchkey software create --name "Acme Reader" --access public',
    'With the id that it had in a shop, which its plugin contains':
      'latchkey software create --name "Acme Forms" --id 57',
  },
  action: ({ run, values: { icon: icons, banner: banners, ...values } }) =>
    creating(run, async ({ execute }) => {
      const software = orFail(await execute('create-software', { ...values, icons, banners }, OWNER));
      answer(run, presentSoftware(software), () => words(software));
    }),
});

const list = define({
  name: 'list',
  description: 'List software, newest first',
  flags: pageFlags,
  examples: {
    'The newest': 'latchkey software list',
    'All slugs, in a script': "latchkey software list --limit 1000 --json | jq -r '.software[].slug'",
  },
  action: ({ run, values }) =>
    opening(run, async ({ store }) => {
      const paging = pagingOf(values);
      const listed = await listSoftware(store.read, paging, OWNER);
      answerPage(run, 'software', listed, paging, presentSoftware, COLUMNS);
    }),
});

const NAMED = ['<software>', 'Slug or id of the software'] as const;

const show = define({
  name: 'show',
  description: 'Show software',
  argument: NAMED,
  examples: {
    'By its slug': 'latchkey software show acme',
    'The id that updaters send, in a script': 'latchkey software show acme --json | jq .id',
  },
  action: ({ run }, named) =>
    opening(run, async ({ store }) => {
      const software = await softwareNamed(store.read, named);
      answer(run, presentSoftware(software), () => words(software));
    }),
});

const update = define({
  name: 'update',
  description: 'Change software; values without a flag stay as they are',
  argument: NAMED,
  changes: softwareFlags,
  examples: {
    'After a new version of the platform': 'latchkey software update acme --tested 6.9',
    'For all licenses, and without a page': 'latchkey software update acme --clear product-ids,url',
  },
  async action({ run, changes: { icon: icons, banner: banners, ...rest } }, named) {
    const changes = {
      ...rest,
      ...(icons !== undefined && { icons }),
      ...(banners !== undefined && { banners }),
    };
    refuseNoChange(changes);
    await opening(run, async ({ execute, store }) => {
      const { id } = await softwareNamed(store.read, named);
      const software = orFail(await execute('update-software', { named: String(id), changes }, OWNER));
      answer(run, presentSoftware(software), () => words(software));
    });
  },
});

const remove = define({
  name: 'delete',
  description: 'Delete software, its releases and their files permanently',
  argument: NAMED,
  settings: STORAGE,
  examples: {
    'By its slug': 'latchkey software delete acme',
    'By its id, which never changes': 'latchkey software delete 3',
  },
  action: ({ run }, named) =>
    opening(run, async (service) => {
      const { read } = service.store;
      const software = await softwareNamed(read, named);
      const { total } = await read.releases.list(software.id, { offset: 0, limit: 1 });
      orFail(await removeSoftware(service, String(software.id), OWNER));
      const name = `${printable(software.name)} (${printable(software.slug)})`;
      answer(run, presentSoftware(software), () => `Deleted ${name} and ${counted(total, 'release')}.`);
    }),
});

export const softwareCommands = group('software', 'Create and change the software that releases belong to', [
  ...[create, list, show, update, remove],
]);
