import Type, { type TSchema } from 'typebox';
import { type Created, integer, MAX_REFERENCE, optional, type Shape } from '../../domain/fields.ts';
import type { PageById } from '../../store/store.ts';
import { type Input, query } from '../input.ts';
import { nullable } from './route.ts';

export const LIMIT = 50;

export const limitShape = {
  limit: optional(integer({ min: 1, max: 200, description: `Records on a page; ${LIMIT} by default` })),
};
const pageShape = {
  ...limitShape,
  before: optional(integer({ min: 1, max: MAX_REFERENCE, description: '`next` of the previous page' })),
};

/** Returns the query of a list by id, newest first: the page and the filter. */
export function pageQuery<S extends Shape>(
  filterShape: S = {} as S,
): Input<{ page: PageById; filter: Created<S> }> {
  const { schema, read } = query({ ...pageShape, ...filterShape });
  return {
    schema,
    read(request) {
      const { limit, before, ...filter } = read(request) as Created<typeof pageShape>;
      return { page: { limit: limit ?? LIMIT, before, offset: 0 }, filter: filter as Created<S> };
    },
  };
}

/** Returns the schema of a page. @param Place the schema of `next`, if `next` is not an id */
export const pageOf = <T extends TSchema, Place extends TSchema = Type.TInteger>(item: T, Place?: Place) =>
  Type.Object({
    items: Type.Array(item),
    /** Send `next` as `before` to get the next page; null on the last page. */
    next: nullable((Place ?? Type.Integer()) as Place),
    /** The number of items on all pages; null where they are not counted. */
    total: nullable(Type.Integer()),
    /** Whether there are more items than `total`. */
    total_is_more: Type.Boolean(),
  });

/** Returns a page of a list by id. The next page begins after the last item. */
export const pageById = <T extends { id: number }>(
  items: T[],
  { more, total = null }: { more: boolean; total?: number | null },
) => ({ items, next: more ? (items.at(-1)?.id ?? null) : null, total, totalIsMore: false });

/** Returns all items as one page. */
export const onePage = <T>(items: T[]) => ({ items, next: null, total: items.length, totalIsMore: false });
