import Type, { type TSchema } from 'typebox';
import { problem } from '../../domain/problem.ts';
import { type HttpProblem, refuse } from '../errors.ts';
import { answerOf, type ClientCode, CODES } from './errors.ts';
import type { presentSeat } from './present.ts';
import { activateInput, IDEMPOTENCY_KEY, validateInput } from './request.ts';

const FIX_PROGRAM = 'Do not retry. Correct the program.';
const EVER_MORE_SLOWLY = 'Keep the last good answer. Retry later, and ever more slowly.';

/** What a program does about an error, and an example made by the code that makes the real answers. */
const ERRORS: Record<ClientCode, [advice: string, example: HttpProblem]> = {
  invalid_request: [
    `${FIX_PROGRAM} params names each wrong field.`,
    refuse('invalid', { fields: { licenseKey: problem('required') } }),
  ],
  license_not_found: [
    'Do not retry. Ask the user for the license key again.',
    refuse('record_not_found', { kind: 'license', named: '' }),
  ],
  license_expired: [
    'Do not retry. Offer the user to renew; expired_at says since when.',
    refuse('license_expired', { at: '2030-01-31 23:59:59' }),
  ],
  license_disabled: ['Do not retry. Ask the user to contact the vendor.', refuse('license_disabled')],
  seat_limit_reached: [
    'Show the user holders, the devices with a seat, and frees_at, when the next one is free. If takeover_allowed, offer to activate with takeover.',
    refuse('activation_limit_reached', {
      limit: 1,
      taken: {
        holders: [{ label: 'Off…', lastSeenAt: '2030-01-31 10:15:00' }],
        freesAt: '2030-01-31 11:15:00',
        takeoverAllowed: true,
      },
    }),
  ],
  not_covered: [
    'Do not retry. Tell the user that the key is for another product.',
    refuse('software_not_covered'),
  ],
  fingerprint_mismatch: [
    'Forget the token, which is from another device. Activate on this one.',
    refuse('fingerprint_mismatch'),
  ],
  activation_ended: [
    'Forget the token. Activate again, unless the user ended it: reason is deactivated, reclaimed, lapsed or license_deleted.',
    refuse('activation_deactivated', { as: 'reclaimed' }),
  ],
  unauthenticated: ['Forget the token. Activate with the license key.', refuse('credentials_missing')],
  idempotency_key_reused: [
    'Do not retry. Correct the program: each new request has a new key.',
    refuse('idempotency_key_reused'),
  ],
  payload_too_large: [FIX_PROGRAM, refuse('body_too_large', { max: 65_536 })],
  rate_limited: [
    'Retry after the seconds of the Retry-After header.',
    refuse('too_many_requests', { seconds: 30 }),
  ],
  unavailable: [`${EVER_MORE_SLOWLY} Retry-After has the least seconds.`, refuse('unavailable')],
  not_found: [
    'Do not retry. Correct the address in the program; or the operator has switched this API off.',
    refuse('no_route'),
  ],
  server_error: [EVER_MORE_SLOWLY, refuse('failed')],
};

const time = (description: string) => Type.String({ format: 'date-time', description });
const timeOrNull = (description: string) => Type.Union([time(description), Type.Null()], { description });

const Seat = Type.Object(
  {
    activation: Type.Object({
      id: Type.Integer(),
      token: Type.Optional(Type.String({ description: 'From activate only. Store it before anything else' })),
      label: Type.Union([Type.String(), Type.Null()]),
      created_at: time(''),
      seat_expires_at: timeOrNull('When a floating seat lapses; null if the seat is kept'),
    }),
    license: Type.Object({
      id: Type.Integer(),
      status: Type.String({ description: 'In lower case' }),
      product: Type.Union([Type.Integer(), Type.Null()]),
      expires_at: timeOrNull('Null for a permanent license'),
      seats: Type.Object({
        used: Type.Integer(),
        limit: Type.Union([Type.Integer(), Type.Null()], { description: 'Null without a limit' }),
      }),
    }),
  },
  { title: 'Seat' },
);
const TOKEN = 'b94fcb7c1f6f4d0e9a1ce1a6c1d1a7f03c5d2e88';
const seat = (token?: string): ReturnType<typeof presentSeat> => ({
  activation: {
    ...{ id: 41, ...(token && { token }), label: 'Laptop' },
    ...{ created_at: '2031-02-03T04:05:06Z', seat_expires_at: null },
  },
  license: {
    ...{ id: 7, status: 'active', product: 12, expires_at: '2032-02-03T04:05:06Z' },
    seats: { used: 2, limit: 5 },
  },
});

const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'The address of the documentation of this error' }),
    title: Type.String(),
    status: Type.Integer({ description: 'The HTTP status' }),
    code: Type.String({ description: 'Decide by this; it does not change' }),
    detail: Type.String({ description: 'In English' }),
    params: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'The problem of each field' }),
    ),
  },
  { title: 'Problem', description: 'RFC 9457; some errors have more fields' },
);

const ANY_HEADERS = { 'X-Request-Id': Type.String({ description: 'The id of the request in the log' }) };
const RETRY = { ...ANY_HEADERS, 'Retry-After': Type.Integer({ description: 'Seconds' }) };
const HEADERS: Record<number, Record<string, TSchema>> = {
  401: { ...ANY_HEADERS, 'WWW-Authenticate': Type.String() },
  429: RETRY,
  503: RETRY,
};

const exampleOf = (code: ClientCode) => {
  const [description, { refusal }] = ERRORS[code];
  return { summary: `${CODES[code][1]}.`, description, value: answerOf(refusal).body };
};

/** Errors by status, as the API document has them. */
function failures(codes: readonly ClientCode[]) {
  return Object.fromEntries(
    Array.from(
      Map.groupBy(codes, (code) => CODES[code][0]),
      ([status, some]) => {
        const examples = Object.fromEntries(some.map((code) => [`client_${code}`, exampleOf(code)]));
        const content = { 'application/problem+json': { schema: Problem, examples } };
        return [status, { description: some.join(', '), headers: HEADERS[status] ?? ANY_HEADERS, content }];
      },
    ),
  );
}

const answer = (description: string, name: string, value: object) => ({
  description,
  headers: ANY_HEADERS,
  content: { 'application/json': { schema: Seat, examples: { [name]: { value } } } },
});

const TAG = 'Devices';
/** Errors of every operation. */
const ALWAYS: readonly ClientCode[] = [
  ...(['invalid_request', 'payload_too_large', 'rate_limited', 'server_error', 'unavailable'] as const),
];
const OF_LICENSE: readonly ClientCode[] = ['license_expired', 'license_disabled'];
const IDEMPOTENCY = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      ...IDEMPOTENCY_KEY.schema,
      description:
        'A random text of the program: a request that is repeated within 24 hours gets the answer of the first one, and takes no other seat',
    },
  },
};
/** The scheme of the document that names the token. */
const BY_TOKEN = [{ activation_token: [] }];

/** The schemas of the routes, which the API document is made of. */
export const OPERATIONS = {
  activate: {
    ...{ tags: [TAG], operationId: 'activateDevice', summary: 'Activate a device', security: [] },
    description:
      'Takes a seat of the license. A device that sends the same fingerprint again gets the seat that it has, with the same token, even if all seats are taken.',
    headers: IDEMPOTENCY,
    consumes: ['application/json'],
    body: {
      ...{ title: 'ActivateDevice', ...activateInput.schema.body },
      examples: [{ license_key: 'ACME-7F3KQ-22HTX', fingerprint: '4c1f9e7a', label: 'Laptop' }],
    },
    response: {
      200: answer('The seat that the device has', 'activated', seat(TOKEN)),
      201: answer('A new seat', 'activated', seat(TOKEN)),
      ...failures([
        ...(['license_not_found', ...OF_LICENSE, 'not_covered', 'seat_limit_reached'] as const),
        ...(['idempotency_key_reused', ...ALWAYS] as const),
      ]),
    },
  },
  validate: {
    ...{ tags: [TAG], operationId: 'validateDevice', summary: 'Validate a device', security: BY_TOKEN },
    description:
      'Succeeds if the device may run the program now. Extends a floating seat, and takes one again that has lapsed, if one is free.',
    consumes: ['application/json'],
    body: { title: 'ValidateDevice', ...validateInput.schema.body, examples: [{ fingerprint: '4c1f9e7a' }] },
    response: {
      200: answer('The seat', 'validated', seat()),
      ...failures(['unauthenticated', 'activation_ended', 'fingerprint_mismatch', ...OF_LICENSE, ...ALWAYS]),
    },
  },
  deactivate: {
    ...{ tags: [TAG], operationId: 'deactivateDevice', summary: 'Deactivate a device', security: BY_TOKEN },
    description: 'Frees the seat. Succeeds also if the activation had ended already.',
    headers: IDEMPOTENCY,
    response: {
      204: { description: 'The seat is free', headers: ANY_HEADERS, type: 'null' },
      ...failures(['unauthenticated', 'idempotency_key_reused', ...ALWAYS]),
    },
  },
};

/** @param root address of this API on the server */
const guide = (root: string): string => `
## Programs without a secret

The operations of the group “${TAG}” need no API key, so a program that you ship carries no secret. They are at another
address, and prove themselves by the license key, or by the token of an activation:

\`\`\`sh
export CLIENT=https://licenses.example.com${root} TOKEN=…
\`\`\`

Each is a POST with a JSON object of at most 64 KiB. A success is the object itself, without \`success\` and \`data\`; times are
RFC 3339 in UTC. **An expired or disabled license is an error**, so a program need not look at the license. Any web page may
call them, without cookies. The body of an error is a problem (RFC 9457): decide by its \`code\`; its \`type\` is the address of
its row among [the errors of programs without a secret](#client-errors).

Send an \`Idempotency-Key\` with activate and deactivate, and the same one with each retry. An error leaves the key free. An
answer that is repeated shows the license as it is now.
`;

/** What the API document has beside the operations. */
export const CLIENT_DOCUMENT = {
  tags: [
    {
      name: TAG,
      description:
        'What a program does that ships no API key: activate once, validate at each start, deactivate.',
    },
  ],
  /** Also where this API is switched off. */
  responses: {
    ClientNoRoute: {
      description: 'not_found',
      content: {
        'application/problem+json': {
          schema: { type: 'object' },
          examples: { client_not_found: exampleOf('not_found') },
        },
      },
    },
  },
  guide,
};
