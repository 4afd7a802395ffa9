import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { inSentences, integer, optional, readCreate } from '../../domain/fields.ts';
import type { Page } from '../../store/store.ts';
import { problem } from '../errors.ts';
import { parametersOf } from '../parameters.ts';

const PER_PAGE = 30;
export const pagingShape = {
  page: optional(integer({ min: 1, description: 'From 1' })),
  perPage: optional(
    integer({ min: 1, max: 1000, description: `Records per page; ${PER_PAGE} when not sent` }),
  ),
};

export interface Paging extends Page {
  page: number;
}

/** @throws 400 rest_invalid_param */
export function pagingOf(request: FastifyRequest): Paging {
  const read = readCreate(pagingShape, parametersOf(request));
  if (!read.ok) {
    throw problem('rest_invalid_param', inSentences(read.params), read.params);
  }
  const page = read.value.page ?? 1;
  const limit = read.value.perPage ?? PER_PAGE;
  return { page, limit, offset: (page - 1) * limit };
}

export const PAGING_HEADERS = {
  'X-WP-Total': Type.Integer({ description: 'Records on all pages' }),
  'X-WP-TotalPages': Type.Integer(),
  Link: Type.String({ description: 'The next and the previous page, where there are such' }),
};

/** Tells how many there are and where the neighbouring pages are; never with credentials. */
export function addPagingHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  { page, limit }: Paging,
  total: number,
): void {
  const pages = Math.ceil(total / limit);
  reply.header('x-wp-total', total).header('x-wp-totalpages', pages);
  const link = (to: number, rel: string) => `<${pageAddress(request, to)}>; rel="${rel}"`;
  const links = [
    ...(page < pages ? [link(page + 1, 'next')] : []),
    ...(page > 1 ? [link(Math.min(page - 1, Math.max(pages, 1)), 'prev')] : []),
  ];
  if (links.length > 0) reply.header('link', links.join(', '));
}

function pageAddress(request: FastifyRequest, page: number): string {
  const [path = '', query = ''] = request.url.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  // By any name that is read as theirs, brackets included.
  for (const name of [...parameters.keys()]) if (/consumer_(key|secret)/.test(name)) parameters.delete(name);
  parameters.set('page', String(page));
  return `${request.publicOrigin()}${path}?${parameters}`;
}
