import type { FastifyRequest } from 'fastify';
import Type, { type TSchema } from 'typebox';
import {
  type Created,
  integer,
  MAX_REFERENCE,
  optional,
  readCreate,
  type Shape,
} from '../../domain/fields.ts';
import type { PageById } from '../../store/store.ts';
import type { Call } from '../call.ts';
import { refuse } from '../errors.ts';
import { createInput, type Input, parameterSchema } from '../input.ts';
import { parametersOf } from '../parameters.ts';

const PER_PAGE = 30;
const page = optional(integer({ min: 1, description: 'From 1' }));
const perPage = optional(
  integer({ min: 1, max: 1000, description: `Records per page; ${PER_PAGE} by default` }),
);
const before = optional(
  integer({
    min: 1,
    max: MAX_REFERENCE,
    description:
      'Only records with a lower id. The next link of each page has it; page then skips nothing and only counts the pages.',
  }),
);
const beforeSeq = optional(
  integer({ min: 1, max: MAX_REFERENCE, description: 'Only deliveries with a lower seq' }),
);
const PAGING_HEADERS = {
  'X-WP-Total': Type.Integer({ description: 'Records on all pages' }),
  'X-WP-TotalPages': Type.Integer(),
  Link: Type.String({ description: 'The next and the previous page, if they exist' }),
};

/** A way to page through a list. */
export interface Paging {
  shape: Shape;
  headers: Record<string, TSchema>;
  description?: string;
}
export const BY_NUMBER: Paging = { shape: { page, perPage }, headers: PAGING_HEADERS };
export const BY_ID: Paging = {
  shape: { page, perPage, before },
  headers: PAGING_HEADERS,
  description:
    'To read the whole list, follow the next links: every page costs the same, and no record is repeated or skipped ' +
    'when others are created or deleted meanwhile. Asking for a late page by its number is slower.',
};
/** Paging of lists that are too long to count. */
export const BY_CURSOR: Paging = {
  shape: { perPage, before },
  headers: { Link: Type.String({ description: 'The next page, if it exists' }) },
  description: 'To read the whole list, follow the next links.',
};

/** Paging of deliveries, which have a seq instead of an id. Otherwise like `BY_CURSOR`. */
export const BY_SEQ: Paging = { ...BY_CURSOR, shape: { perPage, before: beforeSeq } };

interface Page extends PageById {
  /** Page number, from 1. */
  page: number;
}
export interface PagedInput<S extends Shape> {
  page: Page;
  filter: Created<S>;
}

/** Reads the page, then the filter. @throws 400 rest_invalid_param for the page, 422 for the filter */
export const pagedInput = <S extends Shape>(
  { shape }: Paging,
  filterShape: S = {} as S,
): Input<PagedInput<S>> => ({
  schema: { querystring: parameterSchema({ ...shape, ...filterShape }, 'query') },
  read(request) {
    const read = readCreate(shape, parametersOf(request));
    if (!read.ok) throw refuse('invalid_paging', { fields: read.problems });
    const { page, perPage, before = null } = read.value as Record<string, number | null>;
    const limit = perPage ?? PER_PAGE;
    const offset = ((page ?? 1) - 1) * limit;
    return { page: { page: page ?? 1, limit, offset, before }, filter: createInput(filterShape, request) };
  },
});

/**
 * Sets the number of records and pages, if they were counted, and links to the previous and next pages, without credentials.
 * In a list by id, the next page begins after the last record of this page.
 */
export function addPagingHeaders(
  { request, reply }: Pick<Call, 'request' | 'reply'>,
  { page, limit }: Page,
  { items, total, more }: { items: readonly unknown[]; total?: number; more?: boolean },
): void {
  const pages = total === undefined ? null : Math.ceil(total / limit);
  const links: string[] = [];
  if (more ?? page * limit < (total ?? 0)) {
    const cursor = more ? (items.at(-1) as { id: number }).id : null;
    links.push(`<${pageAddress(request, pages === null ? null : page + 1, cursor)}>; rel="next"`);
  }
  if (pages !== null) {
    reply.header('x-wp-total', total).header('x-wp-totalpages', pages);
    const previous = Math.min(page - 1, Math.max(pages, 1));
    if (page > 1) links.push(`<${pageAddress(request, previous, null)}>; rel="prev"`);
  }
  if (links.length > 0) reply.header('link', links.join(', '));
}

function pageAddress(request: FastifyRequest, page: number | null, before: number | null): string {
  const [path = '', query = ''] = request.url.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  // Includes names with brackets, which are parsed as the same parameters.
  for (const name of [...parameters.keys()])
    if (/consumer_(key|secret)|^\[?before\]?$/.test(name)) parameters.delete(name);
  if (page !== null) parameters.set('page', String(page));
  if (before !== null) parameters.set('before', String(before));
  return `${request.publicOrigin()}${path}?${parameters}`;
}
