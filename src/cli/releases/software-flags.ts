import { bad, type Field, optional } from '../../domain/fields.ts';
import {
  type NewSoftware,
  type Pictures,
  type SoftwareChanges,
  softwareShape,
} from '../../domain/software.ts';
import { type Meanings, readChanges, readFlags, separated } from '../flags.ts';
import type { Given } from '../settings.ts';

/** `1x=https://…`, each name with its address. */
const pictures: Field<Pictures | null> = {
  schema: { type: 'array', items: { type: 'string' } },
  read(value) {
    const texts = value as readonly string[];
    const parts = texts.map((text) => /^([^=]+)=(.+)$/s.exec(text));
    if (parts.includes(null)) return bad('not_name_and_address');
    return softwareShape.icons.field.read(Object.fromEntries(parts.map((part) => part?.slice(1) ?? [])));
  },
};

const { icons: _icons, banners: _banners, productIds: _productIds, ...plain } = softwareShape;
export const softwareFlagShape = {
  ...plain,
  productIds: optional(separated(softwareShape.productIds.field)),
  icon: optional(pictures),
  banner: optional(pictures),
};

export const SOFTWARE_MEANINGS: Meanings<typeof softwareFlagShape> = {
  name: ['name', 'What it is called'],
  slug: ['slug', 'Its unique short name, of letters, digits, ".", "_" and "-" (default: made from the name)'],
  type: ['name', 'What kind of client asks for it (default: wp)'],
  url: ['address', 'Its page for people'],
  access: ['name', 'licensed: only for sites with a good license; public: for everybody (default: licensed)'],
  tested: ['version', 'Version of the platform that it is tested up to'],
  requires: ['version', 'Version of the platform that it needs'],
  requiresPhp: ['version', 'Version of PHP that it needs'],
  productIds: ['ids', 'Products whose licenses cover it, separated by commas (default: all)', 'repeated'],
  icon: ['name=address', 'A picture for updaters, such as 1x=https://…; once for each', 'repeated'],
  banner: ['name=address', 'The same of a banner, such as low=https://…', 'repeated'],
};

/** @throws Failure that names the flags */
export function newSoftwareOf(given: Given): NewSoftware {
  const { icon: icons, banner: banners, ...input } = readFlags(softwareFlagShape, given);
  return { ...input, icons, banners };
}

/** @throws Failure that names the flags */
export function softwareChangesOf(given: Given): SoftwareChanges {
  const { icon: icons, banner: banners, ...changes } = readChanges(softwareFlagShape, given);
  return {
    ...changes,
    ...(icons !== undefined && { icons }),
    ...(banners !== undefined && { banners }),
  };
}
