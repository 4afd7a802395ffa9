import fc from 'fast-check';
import type { Record_ } from '../support/http/api.ts';
import { jsonOf, odd, oneOfNames, plausible } from './values.ts';
import { ALL_NAMES } from './world.ts';

/** Requests generated from the OpenAPI document. About half of them are plausible. */
export interface FuzzRequest {
  method: string;
  /** The documented operation, for example `get /licenses`; null if there is none or it is not certain. */
  operation: string | null;
  /** The path segments below the root, not encoded. */
  segments: string[];
  address: (typeof ADDRESSES)[number];
  encoding: (typeof ENCODINGS)[number];
  query: [name: string, value: unknown][];
  body: { as: (typeof BODIES)[number]; values: [name: string, value: unknown][]; text: string };
  credentials: (typeof CREDENTIALS)[number];
  headers: string[];
}

const ADDRESSES = ['path', 'rest_route', 'index.php', 'slash', 'absolute'] as const;
const ENCODINGS = ['usual', 'all', 'twice', 'overlong', 'malformed', 'raw'] as const;
const BODIES = ['none', 'json', 'form', 'multipart', 'plain', 'untyped', 'other', 'text'] as const;
const CREDENTIALS = ['basic', 'query', 'none', 'wrong', 'odd'] as const;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** Methods that Node's parser accepts and the contract does not have. */
const ODD_METHODS = ['TRACE', 'PROPFIND', 'SEARCH', 'QUERY', 'LOCK', 'M-SEARCH', 'PURGE', 'MKCOL'];
const ODD_PATHS = [
  '',
  '/',
  '/licenses/activate',
  '/licenses/validate',
  '/software/download',
  '/openapi.json',
  '/nothing',
  '/..',
];
const ODD_NAMES = [
  ...[
    '__proto__',
    '__proto__[status]',
    'constructor[prototype][status]',
    'meta[__proto__][x]',
    'status[]',
    'status[0]',
  ],
  ...[
    'meta[a][b][c]',
    `meta${'[a]'.repeat(70)}`,
    `${'a[0]'.repeat(50)}`,
    'license_key[]',
    'id',
    'source',
    'created_at',
    'rest_route',
  ],
  ...[
    'consumer_key',
    'consumer_secret',
    'page',
    'per_page',
    '[before]',
    'charset',
    'file',
    '',
    '[',
    ']',
    '[]',
    'a]b[',
  ],
];
const HEADERS = [
  ...[
    'Content-Type: text/xml',
    'Content-Type: application/json; charset=utf-16',
    'Content-Encoding: gzip',
    'Accept: text/html',
  ],
  ...[
    'Expect: 200-ok',
    'X-HTTP-Method-Override: DELETE',
    'If-None-Match: *',
    'If-Match: "x"',
    'Range: bytes=0-1',
    'Range: bytes=9-1',
  ],
  ...[
    'Range: bytes=0-0,-1,5-',
    'Origin: null',
    'Access-Control-Request-Method: DELETE',
    'Host: a\tb',
    'Host: ',
    'Host: a b',
  ],
  ...[
    'Authorization: Basic',
    'Authorization: Bearer x',
    'Authorization: Basic %%%',
    'X-Forwarded-For: 1.2.3.4',
    'X-Forwarded-Host: x"y',
  ],
  ...[
    'Cookie: __proto__=1',
    'User-Agent: \xff\xfe',
    'Upgrade: h2c',
    'Connection: keep-alive, te',
    'TE: trailers',
    'Accept-Encoding: gzip',
  ],
  ...[
    `X-Long: ${'a'.repeat(8_000)}`,
    'If-Range: "x"',
    'If-Modified-Since: yesterday',
    'Content-Disposition: x',
  ],
];

/** Returns a value as text. A value that is nested too deeply becomes `{}`. */
const textOf = (value: unknown): string =>
  typeof value === 'object' ? jsonOf([['', value]]) : String(value);

interface Operation {
  method: string;
  path: string;
  operation: Record_;
}
/** Returns the operations of the v1 API: others have `servers` of their own. */
const operationsOf = (document: Record_): Operation[] =>
  Object.entries(document.paths as Record_).flatMap(([path, item]) =>
    Object.entries(item as Record_)
      .filter(([, operation]) => !(operation as Record_).servers)
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        operation: operation as Record_,
      })),
  );

/** Returns the schemas of the body and query parameters of an operation, by name. */
function parametersOf({ operation }: Operation): [name: string, schema: Record_][] {
  const inQuery = (operation.parameters ?? []).filter((one: Record_) => one.in === 'query');
  const schema = operation.requestBody?.content?.['application/json']?.schema ?? {};
  const bodies = schema.anyOf ?? [schema];
  return [
    ...inQuery.map((one: Record_) => [one.name, one.schema]),
    ...bodies.flatMap((one: Record_) => Object.entries(one.properties ?? {})),
  ];
}

const mostly = <T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>, weight = 6): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: other });

function valuesOf(operation: Operation): fc.Arbitrary<[string, unknown][]> {
  const known = parametersOf(operation);
  const ofKnown = known.map(([name, schema]) =>
    fc.tuple(fc.constant(name), mostly(plausible(name, schema), odd, 5)),
  );
  const ofOdd = fc.tuple(fc.oneof(fc.constantFrom(...ODD_NAMES), fc.string({ maxLength: 10 })), odd);
  const any = known.length === 0 ? ofOdd : mostly(fc.oneof(...ofKnown), ofOdd, 10);
  const all = fc.tuple(...ofKnown) as fc.Arbitrary<[string, unknown][]>;
  const required: string[] =
    operation.operation.requestBody?.content?.['application/json']?.schema?.required ?? [];
  const needed = fc.tuple(...ofKnown.filter((_, i) => required.includes(known[i]?.[0] as string)));
  return fc.oneof(
    { weight: 3, arbitrary: fc.array(any, { maxLength: 5 }) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(needed as fc.Arbitrary<[string, unknown][]>, fc.array(any, { maxLength: 3 }))
        .map((both) => both.flat()),
    },
    { weight: 1, arbitrary: all },
  );
}

function segmentsOf(path: string): fc.Arbitrary<string[]> {
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => {
      const name = /^\{(.*)\}$/.exec(segment)?.[1];
      if (!name) return fc.constant(segment);
      const others = fc.oneof(
        oneOfNames(ALL_NAMES),
        odd.map((value) => textOf(value).slice(0, 5_000)),
      );
      return mostly(plausible(name, {}).map(String), others, 5);
    });
  return fc.tuple(...segments);
}

export function requestsOf(document: Record_): fc.Arbitrary<FuzzRequest> {
  const documented = fc.constantFrom(...operationsOf(document)).chain((operation) =>
    fc.record({
      method: mostly(fc.constant(operation.method), fc.constantFrom(...METHODS, ...ODD_METHODS), 15),
      operation: fc.constant<string | null>(`${operation.method.toLowerCase()} ${operation.path}`),
      segments: segmentsOf(operation.path),
      values: valuesOf(operation),
      own: fc.constant(operation.method),
    }),
  );
  const unknown = fc.record({
    method: fc.constantFrom(...METHODS, ...ODD_METHODS),
    operation: fc.constant(null),
    segments: fc.oneof(
      fc.constantFrom(...ODD_PATHS).map((path) => path.slice(1).split('/')),
      fc.array(
        odd.map((value) => textOf(value).slice(0, 200)),
        { maxLength: 4 },
      ),
    ),
    values: fc.array(fc.tuple(fc.constantFrom(...ODD_NAMES), odd), { maxLength: 3 }),
    own: fc.constant(''),
  });
  return fc
    .record({
      about: mostly(documented, unknown, 12),
      address: mostly<FuzzRequest['address']>(fc.constant('path'), fc.constantFrom(...ADDRESSES)),
      encoding: mostly<FuzzRequest['encoding']>(fc.constant('usual'), fc.constantFrom(...ENCODINGS)),
      body: mostly<FuzzRequest['body']['as']>(
        fc.constantFrom('json', 'form', 'multipart'),
        fc.constantFrom(...BODIES),
        3,
      ),
      text: fc.oneof(
        fc.constantFrom('', '{', '[]', 'null', '{"a":1', '{"a":1}}', '\ufeff{}', '--x'),
        fc.string(),
      ),
      inQuery: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
      many: fc.oneof(
        { weight: 30, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.constantFrom(500, 1_500, 12_000) },
      ),
      credentials: mostly<FuzzRequest['credentials']>(
        fc.constant('basic'),
        fc.constantFrom(...CREDENTIALS),
        8,
      ),
      headers: mostly(
        fc.constant<string[]>([]),
        fc.array<string>(fc.constantFrom(...HEADERS), { maxLength: 3 }),
        3,
      ),
    })
    .map(({ about, inQuery, many, ...request }) => {
      const { method, operation, segments, own } = about;
      const values = [
        ...about.values,
        ...Array.from({ length: many }, (_, i): [string, unknown] => [`meta[${i % 7}][]`, i]),
      ];
      const bodyless = method === 'GET' || method === 'HEAD' || method === 'DELETE';
      const goesInQuery = (i: number) => bodyless || inQuery[i % 3];
      const isOwn =
        about.values.every(([name]) => name !== 'rest_route') &&
        request.encoding === 'usual' &&
        method === own &&
        segments.every((one) => /^[^./?]+$/.test(one));
      return {
        address: request.address,
        encoding: request.encoding,
        credentials: request.credentials,
        headers: request.headers,
        method,
        segments,
        operation: isOwn ? operation : null,
        query: many > 1_000 && bodyless ? [] : values.filter((_, i) => goesInQuery(i)).slice(0, 100),
        body: {
          as: request.body,
          values: values.filter((_, i) => !goesInQuery(i) || inQuery[1]),
          text: request.text,
        },
      };
    });
}
