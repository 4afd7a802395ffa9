import type { Actor } from '../actor.ts';
import type { Stamps } from '../datetime.ts';
import {
  bad,
  type Changes,
  type Created,
  type Field,
  good,
  isObject,
  listOf,
  oneOf,
  optional,
  reference,
  refined,
  required,
  text,
} from '../fields.ts';
import type { License } from '../licenses/license.ts';
import { done, invalid, type Outcome } from '../refusal.ts';
import { webAddress } from '../web-address.ts';

/** Who may download releases: holders of a valid license, or every client of the API. */
export const ACCESSES = ['licensed', 'public'] as const;
export type Access = (typeof ACCESSES)[number];

/** URLs of images, by the names that updaters use for them: `1x`, `low`. */
export type Pictures = Readonly<Record<string, string>>;

/** A program of the vendor that gets updates. */
export interface Software extends Stamps {
  id: number;
  name: string;
  /** Unique. */
  slug: string;
  /** The kind of client that requests updates. */
  type: string;
  /** The product page. */
  url: string | null;
  /** The products whose licenses cover the software; empty for all licenses. */
  productIds: readonly number[];
  access: Access;
  /** Platform versions: the highest tested version, and the lowest required version. */
  tested: string | null;
  requires: string | null;
  requiresPhp: string | null;
  icons: Pictures | null;
  banners: Pictures | null;
}

const SLUG_MAX = 191;
/** The command line accepts ids and slugs, so a slug must not look like an id. */
const ID = /^\d+$/;
const slugText = text({
  min: 1,
  max: SLUG_MAX,
  description: 'Unique; letters, digits, ".", "_" and "-", not digits only. Made from the name when not sent',
});
const slug: Field<string> = refined(slugText, (sent) => {
  if (ID.test(sent)) return bad('slug_is_id');
  return /^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}._-]*$/u.test(sent) ? good(sent) : bad('not_slug');
});

/** A field for how programs name software: by slug, or by id as text or number. */
export const softwareName: Field<string> = {
  ...slugText,
  schema: { type: ['string', 'integer'], minLength: 1, maxLength: SLUG_MAX, description: 'Id or slug' },
  read: (value) => slugText.read(typeof value === 'number' ? String(value) : value),
};

/** Makes a slug from a name; empty if the name has no letter and no digit. */
export function slugOf(name: string): string {
  const words = name
    .normalize('NFKD')
    // Strip marks only from Latin letters. In other scripts, marks belong to the spelling: vowels in Hindi, й in Russian.
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')
    .toLowerCase()
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^[-\p{M}]+/u, '');
  const slug = [...words].slice(0, SLUG_MAX).join('').replace(/-+$/, '');
  return ID.test(slug) ? [...`software-${slug}`].slice(0, SLUG_MAX).join('') : slug;
}

const PICTURES_MAX = 16;
const pictureName = text({ min: 1, max: 32 });
const pictures: Field<Pictures | null> = {
  schema: {
    type: 'object',
    maxProperties: PICTURES_MAX,
    additionalProperties: webAddress.schema,
    description: 'Addresses of pictures by name',
    examples: [{ '1x': 'https://example.com/icon-128x128.png' }],
  },
  read(value) {
    // PHP encodes an empty object as [].
    if (Array.isArray(value) && value.length === 0) return good(null);
    if (!isObject(value)) return bad('not_pictures');
    const entries = Object.entries(value);
    if (entries.length === 0) return good(null);
    const areGood = entries.every(([name, url]) => pictureName.read(name).ok && webAddress.read(url).ok);
    if (areGood && entries.length <= PICTURES_MAX) return good(Object.fromEntries(entries) as Pictures);
    return bad('bad_pictures', { max: PICTURES_MAX });
  },
};

const PRODUCTS_MAX = 1_000;
const platform = (description: string) => optional(text({ max: 64, description }));

/** The parameters of a create (contract section 8). */
export const softwareShape = {
  name: required(text({ min: 1, max: 255 })),
  slug: optional(slug, { clearable: false }),
  type: optional(text({ min: 1, max: 32, description: 'Kind of client; wp when not sent' })),
  url: optional(webAddress),
  productIds: optional(
    listOf(reference(), PRODUCTS_MAX, 'Products whose licenses cover it; none for all licenses'),
  ),
  access: optional(
    oneOf(ACCESSES, 'licensed (default): only for sites with a good license; public: for everybody'),
  ),
  tested: platform('Version of the platform that it is tested up to'),
  requires: platform('Version of the platform that it needs'),
  requiresPhp: platform('Version of PHP that it needs'),
  icons: optional(pictures),
  banners: optional(pictures),
};
export const SOFTWARE_DEFAULTS = { type: 'wp', access: 'licensed', productIds: [] } as const;
export type NewSoftware = Created<typeof softwareShape>;
export type SoftwareChanges = Changes<typeof softwareShape>;

/** Whether a license includes this software. */
export const covers = (
  software: Pick<Software, 'productIds'>,
  license: Pick<License, 'productId'>,
): boolean =>
  software.productIds.length === 0 ||
  (license.productId !== null && software.productIds.includes(license.productId));

/** Whether software exists for an actor. An actor limited to products must have one of the software's products. */
export const reachesSoftware = (actor: Actor, { productIds }: Pick<Software, 'productIds'>): boolean =>
  actor.products === null || productIds.some((id) => actor.products?.includes(id));

/** Refuses products outside the actor's own: the actor must not affect customers of other products. */
export function checkProducts(actor: Actor, productIds: readonly number[]): Outcome<null> {
  const { products } = actor;
  if (products === null || (productIds.length > 0 && productIds.every((id) => products.includes(id)))) {
    return done(null);
  }
  return invalid('productIds', 'products_out_of_reach', { products });
}
