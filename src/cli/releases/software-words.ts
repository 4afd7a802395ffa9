import type { Pictures, Software } from '../../domain/software.ts';
import { pairs, table } from '../table.ts';

const productsOf = ({ productIds }: Software): string =>
  productIds.length === 0 ? 'all licenses' : productIds.join(',');

const picturesOf = (pictures: Pictures | null): string | null =>
  pictures &&
  Object.entries(pictures)
    .map(([name, address]) => `${name}=${address}`)
    .join(' ');

export const softwareTable = (software: readonly Software[]): string =>
  table(
    ['ID', 'SLUG', 'NAME', 'TYPE', 'ACCESS', 'PRODUCTS'],
    software.map((one) => [one.id, one.slug, one.name, one.type, one.access, productsOf(one)]),
  );

/** All of one software. */
export function softwareWords(software: Software): string {
  const { createdAt, createdBy, updatedAt, updatedBy } = software;
  return pairs({
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
    Created: `${createdAt} UTC by user ${createdBy}`,
    Updated: updatedAt === null ? null : `${updatedAt} UTC by user ${updatedBy}`,
  });
}
