import Type, { type TSchema } from 'typebox';
import { TOKEN } from '../../domain/example-records.ts';
import { problem } from '../../domain/problem.ts';
import { ANY_HEADERS, capitalized, PROBLEM_TYPE, RETRY_HEADERS } from '../docs/components.ts';
import { type HttpProblem, refuse } from '../errors.ts';
import type { Input } from '../input.ts';
import { idempotencyHeader } from '../repeatable.ts';
import { answerOf, type ClientCode, CODES } from './errors.ts';
import { activateInput, updateCheckInput, validateInput } from './request.ts';
import { Problem, Seat, seat, UpdateCheck, update } from './schemas.ts';

const FIX_PROGRAM = 'Do not retry. Correct the program.';
const RETRY_LATER = 'Keep the last good answer. Retry later, with increasing delays.';

/** What a program should do about each error, and an example made by the code that makes the real answers. */
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
    'Do not retry. Offer the user a renewal; expired_at says since when.',
    refuse('license_expired', { at: '2030-01-31 23:59:59' }),
  ],
  license_disabled: ['Do not retry. Ask the user to contact the vendor.', refuse('license_disabled')],
  seat_limit_reached: [
    'Show the user holders (the devices that have a seat) and frees_at (when the next seat becomes free). If takeover_allowed is true, offer to activate with takeover.',
    refuse('activation_limit_reached', {
      licenseId: 7,
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
  seat_not_borrowable: [
    'Do not retry. Tell the user that this license is not for devices without network.',
    refuse('seat_not_borrowable'),
  ],
  receipt_unknown: [
    'Do not retry. The receipt is for another server, or the device has since activated with another device key.',
    refuse('receipt_unknown'),
  ],
  receipt_outdated: [
    'Do not retry. The device was activated again after this receipt: bring its newest one.',
    refuse('receipt_outdated', { since: '2030-01-31 10:15:00' }),
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
  unavailable: [`${RETRY_LATER} Wait at least as long as Retry-After says.`, refuse('unavailable')],
  download_denied: [
    'Check for updates again: there may be a new address, or denied says why there is none.',
    refuse('download_denied', { why: 'token_expired' }),
  ],
  download_not_found: ['Check for updates again, for a new address.', refuse('download_not_found')],
  precondition_failed: ['Download the whole file again.', refuse('precondition_failed')],
  range_not_satisfiable: [
    'Download the whole file again.',
    refuse('range_not_satisfiable', { size: 8_388_608 }),
  ],
  not_found: [
    'Do not retry. Correct the address in the program; or the operator has switched this API off.',
    refuse('no_route'),
  ],
  server_error: [RETRY_LATER, refuse('failed')],
};

const HEADERS: Record<number, Record<string, TSchema>> = {
  401: { ...ANY_HEADERS, 'WWW-Authenticate': Type.String() },
  429: RETRY_HEADERS,
  503: RETRY_HEADERS,
};

const exampleOf = (code: ClientCode) => {
  const [description, { refusal }] = ERRORS[code];
  return { summary: `${CODES[code][1]}.`, description, value: answerOf(refusal).body };
};

const problems = (codes: readonly ClientCode[], schema: object = Problem) => ({
  [PROBLEM_TYPE]: {
    schema,
    examples: Object.fromEntries(codes.map((code) => [`client_${code}`, exampleOf(code)])),
  },
});

/** Returns the error responses of the API document, by status. */
export function failures(codes: readonly ClientCode[]) {
  return Object.fromEntries(
    Array.from(
      Map.groupBy(codes, (code) => CODES[code][0]),
      ([status, some]) => {
        const headers = HEADERS[status] ?? ANY_HEADERS;
        return [status, { description: some.join(', '), headers, content: problems(some) }];
      },
    ),
  );
}

export const answer = (description: string, name: string, value: object, schema: TSchema = Seat) => ({
  description,
  headers: ANY_HEADERS,
  content: { 'application/json': { schema, examples: { [name]: { value } } } },
});

const TAG = 'Devices';
/** Errors of every operation. */
export const ALWAYS: readonly ClientCode[] = [
  ...(['invalid_request', 'payload_too_large', 'rate_limited', 'server_error', 'unavailable'] as const),
];
/** Errors of a download address, which is not an operation of the document. */
const OF_DOWNLOADS: readonly ClientCode[] = [
  ...(['download_denied', 'download_not_found', 'precondition_failed', 'range_not_satisfiable'] as const),
];
export const OF_LICENSE: readonly ClientCode[] = ['license_expired', 'license_disabled'];
const IDEMPOTENCY = idempotencyHeader(
  'A random text of the program, the same for each retry. A request that is repeated within 24 hours with the same body, nonce included, gets the answer of the first one, and takes no other seat',
);
/** The security requirement of operations that need an activation token. */
const BY_TOKEN = [{ activation_token: [] }];

/** Names an operation, and describes the body of its requests. */
export const operation = (
  operationId: string,
  summary: string,
  security: Record<string, string[]>[],
  input?: Input<unknown>,
  example?: object,
) => ({
  tags: [TAG],
  operationId,
  summary,
  security,
  ...(input && {
    consumes: ['application/json'],
    body: { title: capitalized(operationId), ...input.schema.body, examples: [example] },
  }),
});

/** The schemas of the routes, from which the API document is generated. */
export const OPERATIONS = {
  activate: {
    ...operation('activateDevice', 'Activate a device', [], activateInput, {
      license_key: 'ACME-7F3KQ-22HTX',
      fingerprint: '4c1f9e7a',
      label: 'Laptop',
    }),
    description:
      'Takes a seat of the license. A device that sends the same fingerprint again gets the seat that it has, with the same token, even if all seats are taken.',
    headers: IDEMPOTENCY,
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
    ...operation('validateDevice', 'Validate a device', BY_TOKEN, validateInput, { fingerprint: '4c1f9e7a' }),
    description:
      'Succeeds if the device may run the program now. Extends a floating seat. If the seat has lapsed, takes one again if one is free.',
    response: {
      200: answer('The seat', 'validated', seat()),
      ...failures(['unauthenticated', 'activation_ended', 'fingerprint_mismatch', ...OF_LICENSE, ...ALWAYS]),
    },
  },
  deactivate: {
    ...operation('deactivateDevice', 'Deactivate a device', BY_TOKEN),
    description: 'Frees the seat. Succeeds also if the activation had ended already.',
    headers: IDEMPOTENCY,
    response: {
      204: { description: 'The seat is free', headers: ANY_HEADERS, type: 'null' },
      ...failures(['unauthenticated', 'idempotency_key_reused', ...ALWAYS]),
    },
  },
  updateCheck: {
    ...operation('checkForUpdate', 'Check for an update', [...BY_TOKEN, {}], updateCheckInput, {
      software: 'acme-editor',
      version: '1.3.0',
    }),
    description:
      'Finds the newest version that the device is offered. Without a token, license_key proves that the program may ask. An expired license learns of the update, too, and may not download it. A GET of download_url needs no credentials, and may fail with download_denied, download_not_found, precondition_failed or range_not_satisfiable.',
    response: {
      200: answer('The update, if there is one', 'update', { update }, UpdateCheck),
      ...failures(['unauthenticated', 'license_not_found', 'not_covered', 'activation_ended', ...ALWAYS]),
    },
  },
  revocations: {
    ...operation('getRevocations', 'Get the revocation list', []),
    description:
      'A signed list of the licenses and activations whose earlier leases are void: licenses that were disabled or deleted, and activations that have ended before their leases. Programs that can reach the server fetch it now and then; proxies may keep it.',
    response: {
      200: {
        description: 'The list, in the form of a lease',
        headers: { ...ANY_HEADERS, ETag: Type.String(), 'Cache-Control': Type.String() },
        content: { 'application/jwt': { schema: { type: 'string' } } },
      },
      304: {
        description: 'The client has it already (If-None-Match)',
        headers: ANY_HEADERS,
        type: 'null',
      },
      ...failures(['rate_limited', 'server_error', 'unavailable']),
    },
  },
};

/** Returns the part of the guide about this API, in Markdown. @param root address of this API on the server */
const guide = (root: string): string => `
## Programs without a secret

The operations of the group “${TAG}” need no API key, so a program that you ship carries no secret. They are at another
address:

\`\`\`sh
export CLIENT=https://licenses.example.com${root} TOKEN=…
\`\`\`

Many generators of clients, such as openapi-typescript, Hey API and Orval, ignore this address: they send these operations to
that of v1, which answers 401 \`authentication_error\`. Make a second client for them, with \`$CLIENT\` as its base URL.

The license key, or the token of an activation, proves that the program may ask. Each operation, except the revocation list,
is a POST with a JSON object of at most 64 KiB. A success is the object itself, without \`success\` and \`data\`; times are
RFC 3339 in UTC. **An expired or disabled license is an error**, so a program need not look at the license. Any web page may
call them, without cookies. The body of an error is a problem (RFC 9457): decide by its \`code\`; its \`type\` is the
address of its row among [the errors of programs without a secret](#client-errors).

Send an \`Idempotency-Key\` with activate and deactivate, and the same one with each retry. An error leaves the key free. An
answer to a repeated request shows the license as it is now, and is a success even if, since then, the seat has ended, or the
license has expired or was disabled. Its \`lease\` is null then, and validate says whether the program may run.
`;

/** The component that the schemas of the operations become. */
const PROBLEM = { $ref: '#/components/schemas/Problem' };

/** The parts of the API document other than the operations. */
export const CLIENT_DOCUMENT = {
  tags: [
    {
      name: TAG,
      description:
        'What a program without an API key does: activate once, validate at each start, deactivate, update.',
    },
  ],
  /** Documented even if this API is switched off. */
  responses: {
    ClientDownload: {
      description: 'Errors of a download_url',
      content: problems(OF_DOWNLOADS, PROBLEM),
    },
    ClientNoRoute: {
      description: 'not_found',
      content: problems(['not_found'], PROBLEM),
    },
  },
  guide,
};
