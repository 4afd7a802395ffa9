import type { FastifyRequest } from 'fastify';
import { integer, MAX_REFERENCE, optional, type Shape } from '../../domain/fields.ts';
import type { PageById } from '../../store/store.ts';
import { parameterSchema } from '../parameter-schema.ts';
import { createInput } from '../requests.ts';

const LIMIT = 50;

export const limitShape = {
  limit: optional(integer({ min: 1, max: 200, description: `Records on a page; ${LIMIT} when not sent` })),
};
const pageShape = {
  ...limitShape,
  before: optional(integer({ min: 1, max: MAX_REFERENCE, description: 'The `next` of the page before' })),
};

/** The query of a list: its page, and what it is filtered by. */
export const pageQuery = (filter: Shape = {}): Record<string, unknown> =>
  parameterSchema({ ...pageShape, ...filter }, 'query');

/** @throws 422 */
export function adminPageOf(request: FastifyRequest): Pick<PageById, 'before' | 'limit'> {
  const { limit, before } = createInput(pageShape, request);
  return { limit: limit ?? LIMIT, before };
}

/** @throws 422 */
export const adminLimitOf = (request: FastifyRequest): number =>
  createInput(limitShape, request).limit ?? LIMIT;

/** Where a list by id goes on, as `before`; null at its end. */
export const nextOf = ({
  items,
  more,
}: {
  items: readonly { id: number }[];
  more: boolean;
}): number | null => (more ? (items.at(-1)?.id ?? null) : null);

/** A list that has all on its one page. */
export const onePage = <T>(items: T[]) => ({ items, next: null, total: items.length, total_is_more: false });
