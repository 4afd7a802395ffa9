import Type, { type TProperties, type TSchema } from 'typebox';
import { parameterName, type Shape } from '../../domain/fields.ts';
import { LICENSE_STATUSES } from '../../domain/license.ts';
import { CHANNELS, RELEASE_STATUSES } from '../../domain/release.ts';
import { ACCESSES } from '../../domain/software.ts';
import { ERROR_EXAMPLES, type ErrorExample } from './error-examples.ts';

/** Schemas of the answers (they serialize them, too) and, made from the fields of the domain, of the requests. */

const orNull = <T>(type: 'integer' | 'string', description?: string) =>
  Type.Unsafe<T | null>({ type: [type, 'null'], ...(description && { description }) });
const integer = (description?: string) => Type.Integer(description ? { description } : {});
const datetime = (description = 'YYYY-MM-DD HH:MM:SS, UTC') =>
  Type.String({ description, examples: ['2031-02-03 04:05:06'] });
const datetimeOrNull = (description = 'YYYY-MM-DD HH:MM:SS, UTC') => orNull<string>('string', description);

const licenseProperties = {
  id: integer(),
  order_id: orNull<number>('integer'),
  product_id: orNull<number>('integer'),
  user_id: orNull<number>('integer'),
  license_key: Type.String(),
  expires_at: datetimeOrNull(),
  valid_for: integer('Days; 0 when there is none'),
  source: integer('1 generator, 2 import, 3 API, 4 migration'),
  status: integer(LICENSE_STATUSES.map((name, i) => `${i + 1} ${name}`).join(', ')),
  times_activated: integer('Activations valid now'),
  activations_limit: integer('0 means no limit'),
  is_expired: Type.Boolean(),
  created_at: datetime(),
  created_by: integer(),
  updated_at: datetimeOrNull('Null until the first update'),
  updated_by: orNull<number>('integer'),
};
const activationProperties = {
  id: integer(),
  token: Type.String({ description: 'Public and unguessable; names the activation in addresses' }),
  license_id: integer(),
  software_id: orNull<number>('integer', 'The software that it was made for'),
  label: orNull<string>('string'),
  source: integer('1 console, 2 API, 3 migration'),
  ip_address: Type.String({ description: 'Empty when unknown' }),
  user_agent: Type.String({ description: 'Empty when unknown' }),
  meta_data: Type.Unsafe<object>({ description: 'An object; an empty list when there is none' }),
  created_at: datetime(),
  updated_at: datetimeOrNull('Null until first deactivated or reactivated'),
  deactivated_at: datetimeOrNull('Null while the activation is valid'),
};
const generatorProperties = {
  id: integer(),
  name: Type.String(),
  charset: Type.String(),
  chunks: integer(),
  chunk_length: integer(),
  activations_limit: integer('0 means no limit'),
  separator: Type.String(),
  prefix: orNull<string>('string'),
  suffix: orNull<string>('string'),
  expires_in: integer('Days; 0 means never'),
  created_at: datetime(),
  created_by: integer(),
  updated_at: datetimeOrNull(),
  updated_by: orNull<number>('integer'),
};

export const License = Type.Object(licenseProperties);
export const Activation = Type.Object(activationProperties);
export const LicensedActivation = Type.Object({ ...activationProperties, license: License });
export const LicenseWithActivations = Type.Object({
  ...licenseProperties,
  activations: Type.Array(Activation, { description: 'Those valid now, newest first' }),
});
export const Generator = Type.Object(generatorProperties);
export const ChangedGenerator = Type.Object({
  ...generatorProperties,
  chunkLength: integer(),
  timesActivatedMax: integer(),
  expiresIn: integer(),
  createdAt: datetime(),
  createdBy: integer(),
  updatedAt: datetimeOrNull(),
  updatedBy: orNull<number>('integer'),
});
// No Type.Record: its pattern leaves out names of several lines.
const pictures = Type.Object({}, { additionalProperties: Type.String(), description: 'Addresses by name' });
const made = {
  created_at: datetime(),
  created_by: integer(),
  updated_at: datetimeOrNull('Null until the first update'),
  updated_by: orNull<number>('integer'),
};
export const Software = Type.Object({
  id: integer(),
  name: Type.String(),
  slug: Type.String(),
  type: Type.String(),
  url: Type.String(),
  product_ids: Type.Array(Type.Integer(), { description: 'Empty: every license covers it' }),
  access: Type.String({ enum: [...ACCESSES] }),
  tested: Type.String(),
  requires: Type.String(),
  requires_php: Type.String(),
  icons: pictures,
  banners: pictures,
  ...made,
});
export const Release = Type.Object({
  id: integer(),
  software_id: integer(),
  version: Type.String(),
  channel: Type.String({ enum: [...CHANNELS] }),
  status: Type.String({ enum: [...RELEASE_STATUSES] }),
  changelog: Type.String(),
  upgrade_notice: Type.String(),
  rollout: integer('Percentage of activations that it is offered to'),
  file_name: Type.String({ description: 'Empty where a draft has no file; so are the next' }),
  mime_type: Type.String(),
  size: integer('Bytes'),
  sha256: Type.String({ description: 'Hex' }),
  sha512: Type.String({ description: 'Hex' }),
  published_at: datetimeOrNull('When it was first published'),
  ...made,
});
export const Update = Type.Object({
  name: Type.String(),
  version: Type.String({ description: 'The highest that is offered; empty when there is none' }),
  license: Type.String({
    description: 'The key of the license; empty where the activation entitles to nothing',
  }),
  download_url: Type.String({
    description:
      'Good for some hours, with the credentials of the request; empty where nothing may be downloaded',
  }),
  url: Type.String(),
  details: Type.Object({
    name: Type.String(),
    slug: Type.String(),
    tested: Type.String(),
    requires: Type.String(),
    requires_php: Type.String(),
    last_updated: Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC; empty without a release' }),
    stable_tag: Type.String({ description: 'The same as version' }),
    versions: Type.Array(Type.String(), { description: 'Those offered, newest first' }),
    upgrade_notice: Type.Optional(Type.String()),
    icons: Type.Optional(pictures),
    banners: Type.Optional(pictures),
    sections: Type.Object({ changelog: Type.String({ description: 'Newest first' }) }),
  }),
});
export const DownloadCount = Type.Object({
  release_id: integer(),
  version: Type.String(),
  day: Type.String({ description: 'YYYY-MM-DD, UTC' }),
  downloads: integer(),
});
export * from './audit-schemas.ts';
export const Nothing = Type.Array(Type.Null(), { maxItems: 0 });

const Failure = Type.Object({
  code: Type.String(),
  message: Type.String(),
  data: Type.Object({
    status: Type.Integer(),
    code: Type.Optional(Type.Integer()),
    params: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'What is wrong, by parameter' }),
    ),
  }),
});

const success = (data: TSchema) => Type.Object({ success: Type.Literal(true), data });

interface RouteDocs {
  summary: string;
  description?: string;
  tags: string[];
  /** What it answers; several where that depends on what was sent. 'file' for the bytes of one. */
  data: TSchema | 'file';
  errors: readonly ErrorExample[];
  headers?: Record<string, TSchema>;
  path?: TProperties;
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
}

const ANY_HEADERS = { 'X-Request-Id': Type.String({ description: 'The same id stands in the log' }) };
const retryAfter = { ...ANY_HEADERS, 'Retry-After': Type.Integer({ description: 'Seconds' }) };
const FAILURE_HEADERS: Record<number, Record<string, TSchema>> = {
  401: { ...ANY_HEADERS, 'WWW-Authenticate': Type.String() },
  429: {
    ...retryAfter,
    RateLimit: Type.String({
      description: 'What is left of each limit (draft-ietf-httpapi-ratelimit-headers)',
    }),
    'RateLimit-Policy': Type.String({ description: 'The limits: "address", "key" or "failures"' }),
  },
  503: retryAfter,
};

/** What can be refused on every route. */
const ALWAYS: readonly ErrorExample[] = [
  'credentials_missing',
  'key_invalid',
  'secret_invalid',
  'no_permission',
  'endpoint_not_allowed',
  'too_many_requests',
  'server_error',
  'unavailable',
];
const WITH_BODY: readonly ErrorExample[] = [
  'invalid_json',
  'invalid_body',
  'content_too_large',
  'unsupported_media_type',
];
const bytes = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
const FILE_HEADERS = {
  ...ANY_HEADERS,
  ETag: Type.String(),
  'Content-Disposition': Type.String(),
  'Accept-Ranges': Type.String(),
  'Repr-Digest': Type.String({ description: 'SHA-256 of the whole file (RFC 9530)' }),
};
const FILE_ANSWERS = {
  200: { description: 'The file', headers: FILE_HEADERS, content: bytes },
  206: {
    description: 'The range of it that was asked for',
    headers: { ...FILE_HEADERS, 'Content-Range': Type.String() },
    content: bytes,
  },
  302: {
    description: 'The file is at another address, for a short time',
    headers: { ...ANY_HEADERS, Location: Type.String() },
    type: 'null',
  },
  304: { description: 'The client has it already (If-None-Match)', headers: ANY_HEADERS, type: 'null' },
};
const FORMS = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];

/** The schema of a route: what it takes, what it answers, and each error with an example. */
export function routeSchema({
  summary,
  description,
  tags,
  data,
  errors,
  headers,
  path,
  query,
  body,
}: RouteDocs) {
  const failures = [...errors, ...(body ? WITH_BODY : []), ...ALWAYS];
  const answers =
    data === 'file'
      ? FILE_ANSWERS
      : { 200: { description: 'Success', headers: { ...ANY_HEADERS, ...headers }, ...success(data) } };
  return {
    summary,
    ...(description && { description }),
    tags,
    ...(path && { params: Type.Object(path) }),
    ...(query && { querystring: query }),
    ...(body && { body, consumes: FORMS }),
    response: {
      ...answers,
      ...failuresByStatus(failures),
    },
  };
}

function failuresByStatus(names: readonly ErrorExample[]): Record<string, unknown> {
  const statuses = Map.groupBy(names, (name) => ERROR_EXAMPLES[name].data.status);
  return Object.fromEntries(
    Array.from(statuses, ([status, some]) => {
      const examples = Object.fromEntries(some.map((name) => [name, { value: ERROR_EXAMPLES[name] }]));
      const description = [...new Set(some.map((name) => ERROR_EXAMPLES[name].code))].join(', ');
      const content = { 'application/json': { schema: Failure, examples } };
      return [status, { description, headers: FAILURE_HEADERS[status] ?? ANY_HEADERS, content }];
    }),
  );
}

/** The same with a file, that a form brings. */
export function withFile(schema: Record<string, unknown>): Record<string, unknown> {
  const file = { type: 'string', format: 'binary', description: 'In multipart/form-data, up to 2 GiB' };
  return { ...schema, properties: { ...(schema.properties as object), file } };
}

/** The schema of the parameters of a shape. For an update nothing is required, and null clears. */
export function parameterSchema(shape: Shape, use: 'create' | 'update' | 'query'): Record<string, unknown> {
  const entries = Object.entries(shape);
  const names = entries
    .filter(([, entry]) => entry.required && use === 'create')
    .map(([name]) => parameterName(name));
  return {
    type: 'object',
    ...(names.length > 0 && { required: names }),
    properties: Object.fromEntries(entries.map(([name, { field }]) => [parameterName(name), field.schema])),
  };
}
