import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import {
  type Created,
  integer,
  MAX_REFERENCE,
  optional,
  readCreate,
  type Shape,
} from '../../domain/fields.ts';
import type { Listed, ListedById, Page, PageById } from '../../store/store.ts';
import { parametersOf } from '../parameters.ts';
import { invalidPaging } from './errors.ts';

const PER_PAGE = 30;
export const pagingShape = {
  page: optional(integer({ min: 1, description: 'From 1' })),
  perPage: optional(
    integer({ min: 1, max: 1000, description: `Records per page; ${PER_PAGE} when not sent` }),
  ),
};
/** Of lists by id. */
export const pagingByIdShape = {
  ...pagingShape,
  before: optional(
    integer({
      min: 1,
      max: MAX_REFERENCE,
      description:
        'Only records with an id lower than this one. It is in the next link of each page; page then passes nothing over, ' +
        'and is only counted on.',
    }),
  ),
};
/** Of lists that are only ever walked through: they do not tell how many there are. */
export const cursorShape = { perPage: pagingShape.perPage, before: pagingByIdShape.before };
/** What the descriptions of lists by id say of walking through them. */
export const WALKING =
  'To walk through all of it, follow the next links: each page costs the same, however far down, and records that are ' +
  'created or deleted meanwhile make no other come twice or be left out. A page far down that is asked for by its ' +
  'number takes longer.';

export interface Paging extends Page {
  page: number;
}
export interface PagingById extends Paging, PageById {}

/** @throws 400 rest_invalid_param */
export const pagingOf = (request: FastifyRequest): Paging => toPaging(readPaging(pagingShape, request));

/** @throws 400 rest_invalid_param */
export function pagingByIdOf(request: FastifyRequest): PagingById {
  const { before, ...sent } = readPaging(pagingByIdShape, request);
  return { ...toPaging(sent), before };
}

/** @throws 400 rest_invalid_param */
export function cursorOf(request: FastifyRequest): Pick<PageById, 'before' | 'limit'> {
  const { perPage, before } = readPaging(cursorShape, request);
  return { limit: perPage ?? PER_PAGE, before };
}

function readPaging<S extends Shape>(shape: S, request: FastifyRequest): Created<S> {
  const found = readCreate(shape, parametersOf(request));
  if (found.ok) return found.value;
  throw invalidPaging(found.problems);
}

function toPaging({ page, perPage }: Created<typeof pagingShape>): Paging {
  const limit = perPage ?? PER_PAGE;
  return { page: page ?? 1, limit, offset: ((page ?? 1) - 1) * limit };
}

export const PAGING_HEADERS = {
  'X-WP-Total': Type.Integer({ description: 'Records on all pages' }),
  'X-WP-TotalPages': Type.Integer(),
  Link: Type.String({ description: 'The next and the previous page, where there are such' }),
};

export const NEXT_HEADER = { Link: Type.String({ description: 'The next page, where there is one' }) };

/** Tells how many there are and where the neighbouring pages are; never with credentials. */
export function addPagingHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  paging: Paging,
  { total }: Listed<unknown>,
): void {
  const { page, limit } = paging;
  const next = page * limit < total ? pageAddress(request, page + 1, null) : null;
  addHeaders(request, reply, paging, total, next);
}

/** The same of a list by id: its next page begins behind the last record of this one, whatever comes and goes meanwhile. */
export function addPagingByIdHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  paging: PagingById,
  { items, total, more }: ListedById<{ id: number }>,
): void {
  const last = items.at(-1);
  const next = more && last ? pageAddress(request, paging.page + 1, last.id) : null;
  addHeaders(request, reply, paging, total, next);
}

/** Where a list that is only walked through goes on. @param before the id of the last record of this page */
export function addNextHeader(request: FastifyRequest, reply: FastifyReply, before: number): void {
  reply.header('link', `<${pageAddress(request, null, before)}>; rel="next"`);
}

function addHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  { page, limit }: Paging,
  total: number,
  next: string | null,
): void {
  const pages = Math.ceil(total / limit);
  reply.header('x-wp-total', total).header('x-wp-totalpages', pages);
  const prev = page > 1 ? pageAddress(request, Math.min(page - 1, Math.max(pages, 1)), null) : null;
  const links = [...(next ? [`<${next}>; rel="next"`] : []), ...(prev ? [`<${prev}>; rel="prev"`] : [])];
  if (links.length > 0) reply.header('link', links.join(', '));
}

function pageAddress(request: FastifyRequest, page: number | null, before: number | null): string {
  const [path = '', query = ''] = request.url.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  // By any name that is read as theirs, brackets included.
  for (const name of [...parameters.keys()])
    if (/consumer_(key|secret)|^\[?before\]?$/.test(name)) parameters.delete(name);
  if (page !== null) parameters.set('page', String(page));
  if (before !== null) parameters.set('before', String(before));
  return `${request.publicOrigin()}${path}?${parameters}`;
}
