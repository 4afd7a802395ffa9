import Type, { type TProperties, type TSchema } from 'typebox';

/** Route schemas for the OpenAPI document of the console's API. */

const Reason = Type.Object({ code: Type.String(), args: Type.Record(Type.String(), Type.Unknown()) });
export const Failure = Type.Object({
  code: Type.String(),
  message: Type.String({ description: 'In English' }),
  data: Type.Object({
    status: Type.Integer(),
    reason: Type.Optional(Reason),
    params: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'What is wrong, by parameter, in English' }),
    ),
    reasons: Type.Optional(Type.Record(Type.String(), Reason, { description: 'The same as codes' })),
  }),
});

const FAILURE_REF = { $ref: '#/components/schemas/Failure' };

interface RouteDocs {
  /** Names the call for the generated client: `listLicenses`. */
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  /** What it answers; 'file' for the bytes of one, 'lines' for JSON values one on a line, as they come to be. */
  data: TSchema | 'file' | 'lines';
  path?: TProperties;
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
}

const KINDS: Record<string, string> = { file: 'application/octet-stream', lines: 'application/x-ndjson' };

/** The schema of a route of the console's API: its parameters, its body and its answer, without an envelope. */
export function adminSchema({ data, path, query, body, ...about }: RouteDocs) {
  const kind = typeof data === 'string' ? KINDS[data] : 'application/json';
  const schema = typeof data === 'string' ? { type: 'string' } : data;
  return {
    ...about,
    ...(path && { params: Type.Object(path) }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    response: {
      200: { description: 'Success', content: { [`${kind}`]: { schema } } },
      default: { description: 'Error', content: { 'application/json': { schema: FAILURE_REF } } },
    },
  };
}

/** A page of a list that is walked through. */
export const pageOf = <T extends TSchema, Place extends TSchema = Type.TInteger>(item: T, place?: Place) =>
  Type.Object({
    items: Type.Array(item),
    /** Where the next page goes on, as `before`; null at the end. */
    next: Type.Union([(place ?? Type.Integer()) as Place, Type.Null()]),
    /** How many there are on all pages; null where nobody counts them. */
    total: Type.Union([Type.Integer(), Type.Null()]),
    /** Whether there are more than `total` says. */
    total_is_more: Type.Boolean(),
  });

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
